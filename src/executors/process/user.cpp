#include "executors/process/user.hpp"

#include "base/quoted.hpp"
#include "executors/process/system_calls.hpp"

#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace carillon {
namespace {

constexpr std::size_t entry_size_max = 1024 * 1024;
constexpr int group_count_max = 65'536;  // as many as Linux lets a process have

Result<std::vector<gid_t>> groups_of(const std::string& name, gid_t main_group) {
  int count = 32;
  while (true) {
    std::vector<gid_t> groups(static_cast<std::size_t>(count));
    const int room = count;
    if (::getgrouplist(name.c_str(), main_group, groups.data(), &count) >= 0) {
      groups.resize(static_cast<std::size_t>(count));
      return groups;
    }
    if (count <= room) count = room * 2;
    if (count > group_count_max)
      return fail(ErrorCode::unavailable, "user {} is in too many groups", carillon::quoted(name));
  }
}

/// An entry of the system's users; none if there is none.
template <typename Look>
Result<std::optional<passwd>> look_up(std::vector<char>& texts, Look look) {
  passwd entry{};
  passwd* found = nullptr;
  int error = 0;
  while ((error = look(&entry, texts, &found)) == ERANGE && texts.size() < entry_size_max)
    texts.resize(texts.size() * 2);
  if (error != 0) return fail(ErrorCode::unavailable, "{}", error_text(error));
  if (found == nullptr) return std::nullopt;
  return entry;
}

}  // namespace

Result<User> find_user(const std::string& name) {
  if (name.contains('\0')) return fail(ErrorCode::invalid_argument, "user {} does not exist", carillon::quoted(name));
  std::vector<char> texts(4096);
  const auto looked = look_up(texts, [&](passwd* entry, std::vector<char>& room, passwd** found) {
    return ::getpwnam_r(name.c_str(), entry, room.data(), room.size(), found);
  });
  if (!looked)
    return fail(ErrorCode::unavailable, "cannot look up user {}: {}", carillon::quoted(name), looked.error().message);
  if (!*looked) return fail(ErrorCode::invalid_argument, "user {} does not exist", carillon::quoted(name));
  const passwd& entry = **looked;
  return User{.identity = {.name = name,
                           .user = entry.pw_uid,
                           .group = entry.pw_gid,
                           .groups = TRY(groups_of(name, entry.pw_gid))},
              .home = entry.pw_dir,
              .shell = entry.pw_shell};
}

std::string own_user_name() {
  std::vector<char> texts(4096);
  const auto looked = look_up(texts, [](passwd* entry, std::vector<char>& room, passwd** found) {
    return ::getpwuid_r(::geteuid(), entry, room.data(), room.size(), found);
  });
  return looked && *looked ? std::string{(*looked)->pw_name} : std::to_string(::geteuid());
}

bool can_become_others() {
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> sets{};
  if (::syscall(SYS_capget, &header, sets.data()) != 0) return false;
  constexpr std::uint32_t needed = 1U << CAP_SETUID | 1U << CAP_SETGID;
  return (sets[0].effective & needed) == needed;
}

}  // namespace carillon
