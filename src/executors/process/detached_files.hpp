#pragma once

#include "base/error.hpp"
#include "executors/process/messages.hpp"
#include "files/file_descriptor.hpp"
#include "ports/executor.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace carillon {

/// The folder where launchers without a server and later servers meet (docs/formats/adopted.md): sockets of those
/// that still guard something, and a file for each launch that has ended meanwhile. For one user alone.
class DetachedFiles {
 public:
  /// Makes the folder if there is none.
  [[nodiscard]] static Result<DetachedFiles> make(const std::filesystem::path& folder);
  /// The same, for who has the folder open that it is in.
  [[nodiscard]] static Result<DetachedFiles> make_in(int place, const std::filesystem::path& folder);
  /// Closed if there is no such folder.
  [[nodiscard]] static Result<DetachedFiles> look(const std::filesystem::path& folder);
  [[nodiscard]] bool is_open() const { return folder_.is_open(); }
  /// Whether the folder has been removed: nobody will ever look for anything here.
  [[nodiscard]] bool is_removed() const;

  /// A socket to be found under this name.
  [[nodiscard]] Result<FileDescriptor> listen(const std::string& name) const;
  /// Closed if nobody listens there any more.
  [[nodiscard]] Result<FileDescriptor> connect(const std::string& name) const;
  /// Durable when this returns; all of it is there or nothing.
  [[nodiscard]] Result<> write_end(const DetachedEnd& end) const;
  /// An error corrupt if it is not as it was written.
  [[nodiscard]] Result<DetachedEnd> read_end(const std::string& name) const;
  void remove(const std::string& name) const;

  struct Names {
    std::vector<std::string> sockets;
    std::vector<std::string> ends;
    std::vector<std::string> unfinished;  // nobody will want them
  };
  [[nodiscard]] Result<Names> names() const;
  [[nodiscard]] static std::string end_name(const AttemptKey& key);
  [[nodiscard]] static std::string socket_name();

 private:
  explicit DetachedFiles(FileDescriptor folder) : folder_{std::move(folder)} {}

  FileDescriptor folder_;
};

}  // namespace carillon
