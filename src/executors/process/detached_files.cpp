#include "executors/process/detached_files.hpp"

#include "base/assertion.hpp"
#include "base/quoted.hpp"
#include "executors/process/channel.hpp"
#include "executors/process/system_calls.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

namespace carillon {
namespace {

constexpr std::string_view socket_ending = ".socket";
constexpr std::string_view end_ending = ".end";
constexpr std::string_view unfinished_ending = ".new";

/// The whole folder of data may be damaged: what is read must be what was written.
std::uint64_t checksum_of(std::string_view bytes) {
  std::uint64_t sum = 0xCBF2'9CE4'8422'2325;
  for (const char byte : bytes) sum = (sum ^ static_cast<unsigned char>(byte)) * 0x100'0000'01B3;
  return sum;
}

std::string with_frame(std::string_view bytes) {
  const std::uint64_t sum = checksum_of(bytes);
  std::string framed{kept_format};
  framed.append(reinterpret_cast<const char*>(&sum), sizeof(sum));
  framed += bytes;
  return framed;
}

Result<std::string_view> without_frame(std::string_view framed, const std::string& name) {
  std::uint64_t sum = 0;
  if (!framed.starts_with(kept_format) || framed.size() < kept_format.size() + sizeof(sum))
    return fail(ErrorCode::corrupt, "{} is not what a launcher of this version writes", carillon::quoted(name));
  std::memcpy(&sum, framed.data() + kept_format.size(), sizeof(sum));
  framed.remove_prefix(kept_format.size() + sizeof(sum));
  if (checksum_of(framed) != sum) return fail(ErrorCode::corrupt, "{} is damaged", carillon::quoted(name));
  return framed;
}

/// Such addresses are short, and paths need not be: the folder is named by its number.
sockaddr_un address_in(int folder, const std::string& name) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = fmt::format("/proc/self/fd/{}/{}", folder, name);
  CARILLON_ASSERT(path.size() < sizeof(address.sun_path));
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

FileDescriptor make_socket() {
  return FileDescriptor{::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
}

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

Result<std::string> read_all(int file) {
  std::string bytes;
  std::array<char, 16 * 1024> buffer;
  while (true) {
    const ssize_t count = ::read(file, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return std::unexpected(system_error("cannot read a kept end"));
    if (count == 0) return bytes;
    bytes.append(buffer.data(), static_cast<std::size_t>(count));
    if (bytes.size() > packet_size_max) return fail(ErrorCode::corrupt, "a kept end is too long");
  }
}

Error cannot_open(const std::filesystem::path& folder) {
  return system_error(fmt::format("cannot open the folder {}", carillon::quoted(folder.native())));
}

FileDescriptor open_folder(int place, const std::filesystem::path& folder) {
  return FileDescriptor{::openat(place, folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)};
}

}  // namespace

Result<DetachedFiles> DetachedFiles::make(const std::filesystem::path& folder) {
  const FileDescriptor place{::open(folder.parent_path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
  return make_in(place.get(), folder);
}

Result<DetachedFiles> DetachedFiles::make_in(int place, const std::filesystem::path& folder) {
  const std::filesystem::path name = folder.filename();
  if (::mkdirat(place, name.c_str(), 0700) != 0 && errno != EEXIST) return std::unexpected(cannot_open(folder));
  FileDescriptor opened = open_folder(place, name);
  if (!opened.is_open()) return std::unexpected(cannot_open(folder));
  struct stat facts{};
  if (::fstat(opened.get(), &facts) != 0) return std::unexpected(cannot_open(folder));
  if (facts.st_uid != ::geteuid() || (facts.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    return fail(ErrorCode::invalid_argument, "the folder {} must belong to this user and be private",
                carillon::quoted(folder.native()));
  return DetachedFiles{std::move(opened)};
}

Result<DetachedFiles> DetachedFiles::look(const std::filesystem::path& folder) {
  FileDescriptor opened = open_folder(AT_FDCWD, folder);
  if (!opened.is_open() && errno != ENOENT) return std::unexpected(cannot_open(folder));
  return DetachedFiles{std::move(opened)};
}

bool DetachedFiles::is_removed() const {
  struct stat facts{};
  return ::fstat(folder_.get(), &facts) == 0 && facts.st_nlink == 0;
}

Result<FileDescriptor> DetachedFiles::listen(const std::string& name) const {
  FileDescriptor socket = make_socket();
  const sockaddr_un address = address_in(folder_.get(), name);
  if (!socket.is_open() || ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0)
    return std::unexpected(system_error("cannot make a socket for a later server"));
  if (::fchmodat(folder_.get(), name.c_str(), 0600, 0) != 0 || ::listen(socket.get(), 4) != 0)
    return std::unexpected(system_error("cannot listen for a later server"));
  return socket;
}

Result<FileDescriptor> DetachedFiles::connect(const std::string& name) const {
  FileDescriptor socket = make_socket();
  const sockaddr_un address = address_in(folder_.get(), name);
  if (socket.is_open() && ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0)
    return socket;
  if (errno == ECONNREFUSED || errno == ENOENT) return FileDescriptor{};
  return std::unexpected(system_error("cannot reach the launcher of an earlier server"));
}

Result<> DetachedFiles::write_end(const DetachedEnd& end) const {
  const std::string name = end_name(end.kept.key);
  const std::string unfinished = name + std::string{unfinished_ending};
  const FileDescriptor file{
      ::openat(folder_.get(), unfinished.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600)};
  if (!file.is_open() || !write_all(file.get(), with_frame(to_bytes(end))) || ::fsync(file.get()) != 0 ||
      ::renameat(folder_.get(), unfinished.c_str(), folder_.get(), name.c_str()) != 0 || ::fsync(folder_.get()) != 0)
    return std::unexpected(system_error(fmt::format("cannot write {}", carillon::quoted(name))));
  return {};
}

Result<DetachedEnd> DetachedFiles::read_end(const std::string& name) const {
  const FileDescriptor file{::openat(folder_.get(), name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)};
  if (!file.is_open()) return std::unexpected(system_error(fmt::format("cannot open {}", carillon::quoted(name))));
  const std::string framed = TRY(read_all(file.get()));
  DetachedEnd end = detached_end_from(TRY(without_frame(framed, name)));
  if (end_name(end.kept.key) != name)
    return fail(ErrorCode::corrupt, "{} is about another attempt", carillon::quoted(name));
  return end;
}

void DetachedFiles::remove(const std::string& name) const { ::unlinkat(folder_.get(), name.c_str(), 0); }

Result<DetachedFiles::Names> DetachedFiles::names() const {
  Names names;
  // The stream owns, and ends with, the file it is given.
  const int own = ::openat(folder_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> entries{own < 0 ? nullptr : ::fdopendir(own), ::closedir};
  if (entries == nullptr) return std::unexpected(system_error("cannot read the folder of adopted commands"));
  while (const dirent* entry = ::readdir(entries.get())) {
    const std::string_view name = entry->d_name;
    if (name.ends_with(socket_ending)) names.sockets.emplace_back(name);
    if (name.ends_with(end_ending)) names.ends.emplace_back(name);
    if (name.ends_with(unfinished_ending)) names.unfinished.emplace_back(name);
  }
  return names;
}

std::string DetachedFiles::end_name(const AttemptKey& key) {
  return fmt::format("{}-{}{}", static_cast<std::int64_t>(key.run), key.attempt, end_ending);
}

// Numbers of processes come again, boots too; both at once with the same time since boot do not.
std::string DetachedFiles::socket_name() {
  return fmt::format("{}-{}{}", ::getpid(), boot_now().count(), socket_ending);
}

}  // namespace carillon
