#pragma once

#include "base/error.hpp"

#include <sys/types.h>

#include <filesystem>

namespace carillon::sqlite {

/// Which file stood under a name at one moment. A deleted file can be written to for as long as it is open, so that
/// what is written would be acknowledged and lost: whoever writes has to look at the name.
class FileIdentity {
 public:
  [[nodiscard]] static Result<FileIdentity> of(const std::filesystem::path& file);

  /// The name, from the root.
  [[nodiscard]] const std::filesystem::path& file() const { return file_; }

  /// An error `unavailable` if there is no file under the name now, or another one. For any thread.
  [[nodiscard]] Result<> check() const;

 private:
  FileIdentity(std::filesystem::path file, dev_t device, ino_t number)
      : file_{std::move(file)}, device_{device}, number_{number} {}

  std::filesystem::path file_;
  dev_t device_;
  ino_t number_;
};

}  // namespace carillon::sqlite
