#include "cli/private_file.hpp"

#include "base/quoted.hpp"
#include "cli/failure.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace carillon {

Result<PrivateFile> PrivateFile::create(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (descriptor >= 0) return PrivateFile{path, descriptor};
  const int error = errno;
  return std::unexpected(usage_error(fmt::format("{} cannot be made: {}", carillon::quoted(path), std::strerror(error)),
                                     error == EEXIST ? "name a file that is not there yet" : "name another place"));
}

PrivateFile::PrivateFile(PrivateFile&& other) noexcept
    : path_{std::move(other.path_)}, descriptor_{std::exchange(other.descriptor_, -1)}, is_kept_{other.is_kept_} {}

PrivateFile::~PrivateFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  if (!is_kept_) ::unlink(path_.c_str());
}

Result<> PrivateFile::keep(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0)
      return fail(ErrorCode::unavailable, "{} cannot be written: {}", carillon::quoted(path_), std::strerror(errno));
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  is_kept_ = true;
  return {};
}

}  // namespace carillon
