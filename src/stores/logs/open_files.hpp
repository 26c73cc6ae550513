#pragma once

#include "stores/logs/log_folder.hpp"

#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <mutex>

namespace carillon {

/// Files kept open for appending, so many at most: the one that was used longest ago makes room, and is opened again
/// when it is needed. May be used from several threads.
class OpenFiles {
 public:
  OpenFiles(const LogFolder& folder, std::size_t count_max) : folder_{folder}, count_max_{count_max} {}

  /// Shared, because a file may have to make room while another thread writes to it.
  [[nodiscard]] Result<std::shared_ptr<const OpenFile>> get(const LogKey& key);
  void forget(const LogKey& key);

  [[nodiscard]] const LogFolder& folder() const { return folder_; }

 private:
  struct Entry {
    LogKey key;
    std::shared_ptr<const OpenFile> file;
  };

  const LogFolder& folder_;
  const std::size_t count_max_;

  std::mutex mutex_;
  std::list<Entry> entries_;  // last used first
  std::map<LogKey, std::list<Entry>::iterator> places_;
};

}  // namespace carillon
