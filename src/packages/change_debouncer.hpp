#pragma once

#include "base/instant.hpp"
#include "packages/folder_scope.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace carillon::packages {

/// How long a folder must be quiet before it is read, so that a file is not read while it is being saved; and the
/// longest time that changes without end can put it off.
inline constexpr Duration quiet_time = std::chrono::milliseconds{500};
inline constexpr Duration quiet_wait_max = std::chrono::seconds{10};

/// Collects changes of folders until each has been quiet for a while, each for itself: a folder that changes all the
/// time does not delay the others. Times are Clock::since_boot. A value: for one thread.
class ChangeDebouncer {
 public:
  void note(const FolderScope& scope, Duration now);

  /// What is to be read now, in the order of the paths.
  [[nodiscard]] std::vector<FolderScope> take_due(Duration now);
  /// When something is to be read; none if nothing has changed.
  [[nodiscard]] std::optional<Duration> next_due() const;

 private:
  struct Change {
    bool is_recursive = false;
    Duration first{};
    Duration due{};
  };
  std::map<std::string, Change, std::less<>> changes_;  // by folder
};

}  // namespace carillon::packages
