#include "executors/secrets/secret_directory.hpp"

#include "base/quoted.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

namespace carillon {
namespace {

namespace fs = std::filesystem;

class File {
 public:
  explicit File(int number) : number_{number} {}
  File(File&& other) noexcept : number_{std::exchange(other.number_, -1)} {}
  File& operator=(File&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~File() {
    if (number_ >= 0) ::close(number_);
  }
  [[nodiscard]] int get() const { return number_; }
  [[nodiscard]] bool is_open() const { return number_ >= 0; }
  [[nodiscard]] int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

std::unexpected<Error> refused(std::string message, std::string hint) {
  return std::unexpected(Error{.code = ErrorCode::invalid_argument,
                               .message = std::move(message),
                               .hint = std::move(hint),
                               .rule = {},
                               .position = {},
                               .context = {}});
}

std::string reason(int number) { return std::generic_category().message(number); }

/// Others could put what they like in the place of a secret, or another's file.
Result<> check_owner(const struct stat& status, const std::string& name) {
  if (status.st_uid != 0 && status.st_uid != ::geteuid())
    return refused(fmt::format("{} belongs to user {}", name, status.st_uid),
                   "it must belong to the server's user or to root");
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return refused(fmt::format("{} can be changed by other users (mode {:04o})", name, status.st_mode & 07777U),
                   "remove write permission for group and others: chmod go-w");
  return {};
}

Result<> check_file(const struct stat& status, const std::string& name) {
  if (!S_ISREG(status.st_mode)) return refused(name + " is not a regular file", "a secret is a file with text in it");
  TRY(check_owner(status, name));
  if (static_cast<std::size_t>(status.st_size) > secret_size_max)
    return refused(fmt::format("{} has {} bytes", name, status.st_size),
                   fmt::format("a secret has at most {}", secret_size_max));
  return {};
}

std::unexpected<Error> not_opened(const std::string& name, int number) {
  if (number == ENOENT) {
    auto error = refused(name + " does not exist", "create it, readable by the server's user only");
    error.error().code = ErrorCode::not_found;
    return error;
  }
  if (number == ELOOP || number == EMLINK || number == ENOTDIR)
    return refused(fmt::format("{} cannot be opened without following a link", name),
                   "links are not followed; put the file itself there");
  return refused(fmt::format("{} cannot be opened: {}", name, reason(number)), "make it readable by the server's user");
}

Result<File> enter(int parent, const std::string& part, const std::string& name) {
  File directory{::openat(parent, part.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
  if (!directory.is_open()) return not_opened(name, errno);
  struct stat status{};
  if (::fstat(directory.get(), &status) != 0) return not_opened(name, errno);
  TRY(check_owner(status, name));
  return directory;
}

/// Looked at before it is opened too: opening a device may do something.
Result<File> open_file(int parent, const std::string& part, const std::string& name) {
  struct stat status{};
  if (::fstatat(parent, part.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return not_opened(name, errno);
  if (S_ISLNK(status.st_mode)) return not_opened(name, ELOOP);
  TRY(check_file(status, name));
  File file{::openat(parent, part.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)};
  if (!file.is_open()) return not_opened(name, errno);
  if (::fstat(file.get(), &status) != 0) return not_opened(name, errno);
  TRY(check_file(status, name));
  return file;
}

Result<std::string> contents(const File& file, const std::string& name) {
  std::string text(secret_size_max + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t count = ::read(file.get(), text.data() + size, text.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return refused(fmt::format("{} cannot be read: {}", name, reason(errno)), "check its file system");
    if (count == 0) break;
    size += static_cast<std::size_t>(count);
  }
  if (size > secret_size_max)
    return refused(name + " has grown beyond the largest secret",
                   fmt::format("a secret has at most {}", secret_size_max));
  text.resize(size);
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

bool is_same(const struct stat& a, const struct stat& b) { return a.st_dev == b.st_dev && a.st_ino == b.st_ino; }

/// Whether `inner` is `outer` or lies somewhere below it, whatever they are called.
bool is_within(fs::path inner, const fs::path& outer) {
  struct stat wanted{};
  if (::stat(outer.c_str(), &wanted) != 0) return false;
  for (;; inner = inner.parent_path()) {
    struct stat status{};
    if (::stat(inner.c_str(), &status) == 0 && is_same(status, wanted)) return true;
    if (inner == inner.parent_path()) return false;
  }
}

}  // namespace

Result<SecretDirectory> SecretDirectory::open(const fs::path& directory, const fs::path& data) {
  const auto wrong = [&](std::string_view what, std::string_view hint) {
    return refused(fmt::format("--secret-dir {} {}", carillon::quoted(directory.string()), what), std::string{hint});
  };
  std::error_code error;
  const fs::path whole = fs::canonical(directory, error);
  if (error) return wrong("cannot be opened: " + error.message(), "name an existing directory");
  if (is_within(whole, data) || is_within(fs::canonical(data, error), whole))
    return wrong("is the data folder, contains it or is inside it", "use a directory separate from --data");
  File file{::open(whole.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
  if (!file.is_open()) return wrong("cannot be opened: " + reason(errno), "name an existing directory");
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) return wrong("cannot be looked at: " + reason(errno), "check its file system");
  TRY(while_doing(check_owner(status, whole.string()), "opening --secret-dir"));
  return SecretDirectory{whole, fs::absolute(directory).lexically_normal(), file.release()};
}

SecretDirectory::SecretDirectory(fs::path path, fs::path given, int file)
    : path_{std::move(path)}, given_{std::move(given)}, file_{file} {}

SecretDirectory::SecretDirectory(SecretDirectory&& other) noexcept
    : path_{std::move(other.path_)}, given_{std::move(other.given_)}, file_{std::exchange(other.file_, -1)} {}

SecretDirectory::~SecretDirectory() {
  if (file_ >= 0) ::close(file_);
}

Result<std::string> SecretDirectory::relative(std::string_view path) const {
  if (!path.starts_with('/')) return std::string{path};
  const fs::path wanted = fs::path{path}.lexically_normal();
  for (const fs::path& directory : {path_, given_}) {
    fs::path below = wanted.lexically_relative(directory);
    if (!below.empty() && *below.begin() != ".." && below != ".") return below.string();
  }
  return refused(fmt::format("{} is outside the secret directory {}", path, path_.string()),
                 "put the file there, or start the server with another --secret-dir");
}

Result<std::string> SecretDirectory::read(std::string_view path) const {
  const fs::path below{TRY(relative(path))};
  File directory{::fcntl(file_, F_DUPFD_CLOEXEC, 0)};
  if (!directory.is_open())
    return refused("no more files can be opened: " + reason(errno), "raise the limit of open files");
  fs::path name = path_;
  for (auto part = below.begin(); part != below.end(); ++part) {
    // What was written is checked when it is saved; nothing leads upward here either way.
    if (part->empty() || *part == "." || *part == "..")
      return refused(fmt::format("{} is not a path inside the secret directory", path),
                     "write it without '.' and '..'");
    name /= *part;
    if (std::next(part) == below.end())
      return contents(TRY(open_file(directory.get(), part->string(), name.string())), name.string());
    directory = TRY(enter(directory.get(), part->string(), name.string()));
  }
  return refused("the path of a secret is empty", "write ${secret:name}");
}

}  // namespace carillon
