#include "embedded/private_file.hpp"

#include "executors/process/file_descriptor.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace carillon {
namespace {

constexpr std::size_t size_max = 4'096;

std::unexpected<Error> refused(std::string_view what, const std::filesystem::path& file) {
  return fail(ErrorCode::unavailable, "{} {}: {}", what, file.string(), std::strerror(errno));
}

}  // namespace

Result<std::optional<std::string>> read_private_file(const std::filesystem::path& file) {
  const FileDescriptor found{::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)};
  if (found.get() < 0 && errno == ENOENT) return std::nullopt;
  if (found.get() < 0) return refused("cannot open", file);
  std::array<char, size_max> bytes{};
  const auto count = ::read(found.get(), bytes.data(), bytes.size());
  if (count < 0) return refused("cannot read", file);
  return std::string{bytes.data(), static_cast<std::size_t>(count)};
}

Result<> write_private_file(const std::filesystem::path& file, std::string_view bytes) {
  const std::filesystem::path draft = file.string() + ".new";
  const FileDescriptor made{::open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600)};
  if (made.get() < 0) return refused("cannot write", draft);
  if (::write(made.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()) ||
      ::fsync(made.get()) != 0 || ::rename(draft.c_str(), file.c_str()) != 0)
    return refused("cannot write", draft);
  const FileDescriptor folder{::open(file.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (folder.get() < 0 || ::fsync(folder.get()) != 0) return refused("cannot write", file.parent_path());
  return {};
}

}  // namespace carillon
