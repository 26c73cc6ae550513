#include "cli/commands/machine_facts.hpp"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <sys/timex.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <set>
#include <sstream>

namespace carillon::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view listening = "0A";

/// The sockets that listen on a port, by the numbers that /proc has for them.
void add_listeners(const char* table, std::uint16_t port, std::set<std::string>& sockets) {
  std::ifstream stream{table};
  std::string line;
  std::getline(stream, line);
  while (std::getline(stream, line)) {
    std::istringstream words{line};
    std::string number, local, remote, state, queues, timer, retries, user, timeout, socket;
    words >> number >> local >> remote >> state >> queues >> timer >> retries >> user >> timeout >> socket;
    if (state != listening) continue;
    const std::size_t colon = local.rfind(':');
    if (colon == std::string::npos) continue;
    unsigned found = 0;
    std::from_chars(local.data() + colon + 1, local.data() + local.size(), found, 16);
    if (found == port) sockets.insert("socket:[" + socket + "]");
  }
}

bool has_one_of(const fs::path& process, const std::set<std::string>& sockets) {
  std::error_code unknown;
  for (const auto& entry : fs::directory_iterator{process / "fd", unknown}) {
    if (sockets.contains(fs::read_symlink(entry.path(), unknown).string())) return true;
  }
  return false;
}

}  // namespace

std::optional<ClockFacts> kernel_clock() {
  timex facts{};
  const int state = ::adjtimex(&facts);
  if (state < 0) return std::nullopt;
  return ClockFacts{.is_synchronised = state != TIME_ERROR && (facts.status & STA_UNSYNC) == 0,
                    .error_max = std::chrono::duration_cast<Duration>(std::chrono::microseconds{facts.maxerror})};
}

std::optional<PortHolder> listener_on(std::uint16_t port) {
  std::set<std::string> sockets;
  add_listeners("/proc/net/tcp", port, sockets);
  add_listeners("/proc/net/tcp6", port, sockets);
  if (sockets.empty()) return std::nullopt;
  std::error_code unknown;
  for (const auto& entry : fs::directory_iterator{"/proc", unknown}) {
    const std::string name = entry.path().filename().string();
    pid_t pid = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (error != std::errc{} || end != name.data() + name.size() || !has_one_of(entry.path(), sockets)) continue;
    PortHolder holder{.pid = pid};
    std::ifstream command{entry.path() / "comm"};
    std::getline(command, holder.program);
    return holder;
  }
  return PortHolder{};
}

fs::path nearest_existing(const fs::path& path) {
  std::error_code unknown;
  fs::path found = fs::absolute(path, unknown);
  while (!fs::exists(found, unknown) && found.has_relative_path()) found = found.parent_path();
  return found;
}

std::optional<DiskFacts> disk_of(const fs::path& path) {
  struct statvfs facts{};
  if (::statvfs(nearest_existing(path).c_str(), &facts) != 0) return std::nullopt;
  return DiskFacts{.size = std::uintmax_t{facts.f_blocks} * facts.f_frsize,
                   .available = std::uintmax_t{facts.f_bavail} * facts.f_frsize,
                   .has_file_entries = facts.f_files == 0 || facts.f_favail > 0};
}

std::optional<std::string> lock_holder(const fs::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return std::nullopt;
  struct flock lock{};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  const bool is_held = ::fcntl(file, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  std::array<char, 200> text{};
  const auto length = is_held ? ::pread(file, text.data(), text.size(), 0) : 0;
  ::close(file);
  if (!is_held) return std::nullopt;
  return length > 0 ? std::string(text.data(), static_cast<std::size_t>(length)) : "another process";
}

}  // namespace carillon::cli
