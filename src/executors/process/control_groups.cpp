#include "executors/process/control_groups.hpp"

#include "base/quoted.hpp"
#include "executors/process/system_calls.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace carillon {
namespace {

constexpr Duration emptying_time_max = std::chrono::seconds{10};

std::string group_name(LaunchId id) { return fmt::format("launch-{}", static_cast<std::uint64_t>(id)); }

FileDescriptor open_folder(int parent, const char* name) {
  return FileDescriptor{::openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)};
}

bool end_group(int folder) {
  const FileDescriptor file{::openat(folder, "cgroup.kill", O_WRONLY | O_CLOEXEC)};
  return file.is_open() && ::write(file.get(), "1", 1) == 1;
}

std::string text_of(int file) {
  std::array<char, 4096> buffer{};
  const ssize_t count = ::pread(file, buffer.data(), buffer.size(), 0);
  return count > 0 ? std::string{buffer.data(), static_cast<std::size_t>(count)} : std::string{};
}

/// What was killed is gone only when its parents have noticed.
Result<> wait_until_empty(int folder) {
  const FileDescriptor events{::openat(folder, "cgroup.events", O_RDONLY | O_CLOEXEC)};
  const Duration end = boot_now() + emptying_time_max;
  while (text_of(events.get()).contains("populated 1")) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - boot_now());
    if (left.count() <= 0) return fail(ErrorCode::unavailable, "commands of an earlier launcher cannot be ended");
    pollfd change{.fd = events.get(), .events = POLLPRI, .revents = 0};
    ::poll(&change, 1, static_cast<int>(left.count()));
  }
  return {};
}

std::vector<std::string> folders_in(int folder) {
  std::vector<std::string> names;
  // The stream owns, and ends with, the file it is given.
  const std::unique_ptr<DIR, int (*)(DIR*)> entries{::fdopendir(open_folder(folder, ".").release()), ::closedir};
  if (entries == nullptr) return names;
  while (const dirent* entry = ::readdir(entries.get())) {
    const std::string_view name = entry->d_name;
    if (entry->d_type == DT_DIR && name != "." && name != "..") names.emplace_back(name);
  }
  return names;
}

/// A command may have made groups of its own below the one it was given.
void remove_folder(int parent, const char* name) {
  if (::unlinkat(parent, name, AT_REMOVEDIR) == 0 || errno == ENOENT) return;
  const FileDescriptor folder = open_folder(parent, name);
  if (!folder.is_open()) return;
  for (const std::string& below : folders_in(folder.get())) remove_folder(folder.get(), below.c_str());
  ::unlinkat(parent, name, AT_REMOVEDIR);
}

std::string first_line_with(const char* file, std::string_view wanted) {
  std::ifstream lines{file};
  for (std::string line; std::getline(lines, line);) {
    if (line.contains(wanted)) return line;
  }
  return {};
}

}  // namespace

Result<ControlGroups> ControlGroups::open(const std::filesystem::path& folder, std::string name) {
  const auto unusable = [&](std::string_view why) {
    return fail(ErrorCode::unavailable, "cannot make control groups in {}: {}", carillon::quoted(folder.native()), why);
  };
  FileDescriptor parent{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!parent.is_open()) return unusable(error_text(errno));
  if (::mkdirat(parent.get(), name.c_str(), 0755) != 0 && errno != EEXIST) return unusable(error_text(errno));
  FileDescriptor own = open_folder(parent.get(), name.c_str());
  if (!own.is_open()) return unusable(error_text(errno));
  if (!end_group(own.get())) {
    remove_folder(parent.get(), name.c_str());
    return unusable("it has no cgroup.kill");
  }
  TRY(wait_until_empty(own.get()));
  for (const std::string& old : folders_in(own.get())) remove_folder(own.get(), old.c_str());
  return ControlGroups{std::move(parent), std::move(own), std::move(name)};
}

Result<FileDescriptor> ControlGroups::make(LaunchId id) const {
  if (!folder_.is_open()) return FileDescriptor{};
  const std::string name = group_name(id);
  if (::mkdirat(folder_.get(), name.c_str(), 0755) != 0)
    return std::unexpected(system_error("cannot make a control group"));
  FileDescriptor group = open_folder(folder_.get(), name.c_str());
  if (!group.is_open()) return std::unexpected(system_error("cannot open a control group"));
  return group;
}

void ControlGroups::end(LaunchId id) const {
  if (!folder_.is_open()) return;
  const FileDescriptor group = open_folder(folder_.get(), group_name(id).c_str());
  if (group.is_open()) end_group(group.get());
}

void ControlGroups::remove(LaunchId id) const {
  if (folder_.is_open()) remove_folder(folder_.get(), group_name(id).c_str());
}

void ControlGroups::remove_all() const {
  if (folder_.is_open()) remove_folder(parent_.get(), name_.c_str());
}

std::optional<LaunchId> ControlGroups::launch_in(std::string_view cgroup_text) const {
  if (!folder_.is_open()) return std::nullopt;
  const std::string before = fmt::format("/{}/launch-", name_);
  const std::size_t position = cgroup_text.find(before);
  if (position == std::string_view::npos) return std::nullopt;
  cgroup_text.remove_prefix(position + before.size());
  std::uint64_t id = 0;
  const auto [end, error] = std::from_chars(cgroup_text.data(), cgroup_text.data() + cgroup_text.size(), id);
  if (error != std::errc{}) return std::nullopt;
  return LaunchId{id};
}

std::optional<std::filesystem::path> own_control_group() {
  const std::string own = first_line_with("/proc/self/cgroup", "0::/");
  const std::string mount = first_line_with("/proc/self/mountinfo", " - cgroup2 ");
  if (!own.starts_with("0::/") || mount.empty()) return std::nullopt;
  // The fifth field is where the file system is mounted.
  std::istringstream fields{mount};
  std::string place;
  for (int i = 0; i < 5; ++i) fields >> place;
  const std::filesystem::path folder = (std::filesystem::path{place} / own.substr(4)).lexically_normal();
  if (::access(folder.c_str(), W_OK) != 0 || ::access((folder / "cgroup.procs").c_str(), W_OK) != 0)
    return std::nullopt;
  return folder;
}

}  // namespace carillon
