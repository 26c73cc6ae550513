#include "files/private_file.hpp"

#include "base/quoted.hpp"
#include "files/trusted_owner.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <system_error>

namespace carillon {
namespace {

constexpr mode_t file_mode = 0600;
constexpr mode_t usual_mode = 0666;  // less the umask
// Without O_NONBLOCK, opening a FIFO waits for its other end.
constexpr int safe_flags = O_CLOEXEC | O_NOCTTY | O_NONBLOCK;

std::unexpected<Error> cannot(std::string_view do_what, const std::filesystem::path& file, int error) {
  const ErrorCode code = error == ENOENT ? ErrorCode::not_found : ErrorCode::unavailable;
  return fail(code, "cannot {} {}: {}", do_what, carillon::quoted(file.native()),
              std::generic_category().message(error));
}

std::unexpected<Error> is_a_link(const std::filesystem::path& file) {
  return untrusted(fmt::format("{} is a symbolic link; a file is expected", carillon::quoted(file.native())),
                   "remove the link, or put the file itself there");
}

Result<FileDescriptor> open_here(const std::filesystem::path& file, int flags, std::string_view do_what) {
  FileDescriptor opened{::open(file.c_str(), flags | safe_flags, file_mode)};
  if (opened.is_open()) return opened;
  const int error = errno;
  if (error == ELOOP && (flags & O_NOFOLLOW) != 0) return is_a_link(file);
  // What a FIFO without a reader, or a socket, says.
  if (error == ENXIO) return untrusted(fmt::format("{} is not a regular file", carillon::quoted(file.native())), {});
  return cannot(do_what, file, error);
}

Result<> check_regular(const struct stat& facts, const std::filesystem::path& file) {
  if (S_ISREG(facts.st_mode)) return {};
  return untrusted(fmt::format("{} is {}, not a regular file", carillon::quoted(file.native()),
                               S_ISDIR(facts.st_mode)    ? "a folder"
                               : S_ISFIFO(facts.st_mode) ? "a FIFO"
                                                         : "a device or socket"),
                   {});
}

Result<struct stat> facts_of(int descriptor, const std::filesystem::path& file) {
  struct stat facts{};
  if (::fstat(descriptor, &facts) != 0) return cannot("look at", file, errno);
  return facts;
}

Result<FileDescriptor> create(const std::filesystem::path& file, mode_t mode) {
  FileDescriptor made{::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)};
  if (made.is_open()) return made;
  if (errno == EEXIST) return fail(ErrorCode::conflict, "{} exists already", carillon::quoted(file.native()));
  return cannot("make", file, errno);
}

Result<> sync_folder_of(const std::filesystem::path& file) {
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  const FileDescriptor opened{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!opened.is_open() || ::fsync(opened.get()) != 0) return cannot("write to the folder", folder, errno);
  return {};
}

struct NewMode {
  mode_t mode;
  std::optional<mode_t> exact_mode = {};  // whatever the umask is
};

/// Leaves no draft behind when it fails.
Result<> replace(const std::filesystem::path& file, std::string_view bytes, const NewMode& mode) {
  const std::filesystem::path draft = file.string() + ".new";
  if (::unlink(draft.c_str()) != 0 && errno != ENOENT) return cannot("remove", draft, errno);
  const FileDescriptor made = TRY(create(draft, mode.mode));
  Result<> outcome = write_open_file(made.get(), draft, bytes);
  if (outcome && ((mode.exact_mode && ::fchmod(made.get(), *mode.exact_mode) != 0) || ::fsync(made.get()) != 0 ||
                  ::rename(draft.c_str(), file.c_str()) != 0))
    outcome = cannot("write", file, errno);
  if (outcome) return sync_folder_of(file);
  ::unlink(draft.c_str());
  return outcome;
}

}  // namespace

Result<> check_private_file(int descriptor, const std::filesystem::path& file, std::optional<uid_t> other_owner) {
  const struct stat facts = TRY(facts_of(descriptor, file));
  TRY(check_regular(facts, file));
  TRY(check_ownership(facts, file, "file", other_owner));
  if (facts.st_nlink > 1)
    return untrusted(
        fmt::format("the file {} has a second name (hard link) elsewhere", carillon::quoted(file.native())),
        "remove one of the two names");
  return {};
}

Result<FileDescriptor> open_private_file(const std::filesystem::path& file, std::optional<uid_t> other_owner) {
  FileDescriptor opened = TRY(open_here(file, O_RDONLY | O_NOFOLLOW, "open"));
  TRY(check_private_file(opened.get(), file, other_owner));
  return opened;
}

Result<FileDescriptor> open_or_create_private_file(const std::filesystem::path& file) {
  FileDescriptor opened = TRY(open_here(file, O_RDWR | O_CREAT | O_NOFOLLOW, "open"));
  TRY(check_private_file(opened.get(), file));
  return opened;
}

Result<FileDescriptor> create_private_file(const std::filesystem::path& file) { return create(file, file_mode); }

Result<FileDescriptor> open_regular_file(const std::filesystem::path& file) {
  FileDescriptor opened = TRY(open_here(file, O_RDONLY, "open"));
  TRY(check_regular(TRY(facts_of(opened.get(), file)), file));
  return opened;
}

Result<std::string> read_open_file(int descriptor, const std::filesystem::path& file, std::size_t size_max) {
  std::string bytes;
  std::array<char, 16 * 1024> buffer;
  for (;;) {
    const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return cannot("read", file, errno);
    if (count == 0) return bytes;
    bytes.append(buffer.data(), static_cast<std::size_t>(count));
    if (bytes.size() > size_max)
      return std::unexpected(
          Error{.code = ErrorCode::invalid_argument,
                .message = fmt::format("{} has more than {} bytes", carillon::quoted(file.native()), size_max),
                .hint = {},
                .rule = "too-large",
                .position = {},
                .context = {}});
  }
}

Result<> write_open_file(int descriptor, const std::filesystem::path& file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return cannot("write", file, errno);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

Result<std::optional<std::string>> read_private_file(const std::filesystem::path& file, const PrivateFileTerms& terms) {
  const auto opened = open_private_file(file, terms.other_owner);
  if (!opened && opened.error().code == ErrorCode::not_found) return std::optional<std::string>{};
  if (!opened) return std::unexpected(opened.error());
  return std::optional{TRY(read_open_file(opened->get(), file, terms.size_max))};
}

Result<> write_private_file(const std::filesystem::path& file, std::string_view bytes) {
  return replace(file, bytes, {.mode = file_mode});
}

Result<> replace_file(const std::filesystem::path& file, std::string_view bytes) {
  struct stat before{};
  const bool has_mode = ::lstat(file.c_str(), &before) == 0 && S_ISREG(before.st_mode);
  return replace(file, bytes,
                 {.mode = usual_mode, .exact_mode = has_mode ? std::optional{before.st_mode & 0777U} : std::nullopt});
}

Result<> write_new_file(const std::filesystem::path& file, std::string_view bytes) {
  const FileDescriptor made = TRY(create(file, usual_mode));
  return write_open_file(made.get(), file, bytes);
}

}  // namespace carillon
