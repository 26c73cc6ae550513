#include "executors/process/user.hpp"

#include "base/quoted.hpp"
#include "executors/process/system_calls.hpp"

#include <grp.h>
#include <pwd.h>

#include <cerrno>
#include <cstddef>
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
    if (count > group_count_max) return fail(ErrorCode::unavailable, "user {} is in too many groups", quoted(name));
  }
}

}  // namespace

Result<User> find_user(const std::string& name) {
  if (name.contains('\0')) return fail(ErrorCode::invalid_argument, "there is no user {}", quoted(name));
  passwd entry{};
  passwd* found = nullptr;
  std::vector<char> texts(4096);
  int error = 0;
  while ((error = ::getpwnam_r(name.c_str(), &entry, texts.data(), texts.size(), &found)) == ERANGE &&
         texts.size() < entry_size_max) {
    texts.resize(texts.size() * 2);
  }
  if (error != 0) return fail(ErrorCode::unavailable, "cannot look up user {}: {}", quoted(name), error_text(error));
  if (found == nullptr) return fail(ErrorCode::invalid_argument, "there is no user {}", quoted(name));
  return User{.identity = {.name = name,
                           .user = entry.pw_uid,
                           .group = entry.pw_gid,
                           .groups = TRY(groups_of(name, entry.pw_gid))},
              .home = entry.pw_dir,
              .shell = entry.pw_shell};
}

}  // namespace carillon
