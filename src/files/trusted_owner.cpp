#include "files/trusted_owner.hpp"

#include "base/quoted.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <array>

namespace carillon {

bool is_trusted_owner(uid_t owner, std::optional<uid_t> other_owner) {
  return owner == ::geteuid() || owner == 0 || owner == other_owner;
}

std::string user_text(uid_t user) {
  std::array<char, 4096> buffer{};
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwuid_r(user, &entry, buffer.data(), buffer.size(), &found) != 0 || found == nullptr)
    return fmt::format("uid {}", user);
  return fmt::format("{} (uid {})", found->pw_name, user);
}

std::unexpected<Error> untrusted(std::string message, std::string hint) {
  return std::unexpected(Error{.code = ErrorCode::invalid_argument,
                               .message = std::move(message),
                               .hint = std::move(hint),
                               .rule = "untrusted-file",
                               .position = {},
                               .context = {}});
}

Result<> check_ownership(const struct stat& facts, const std::filesystem::path& path, std::string_view what,
                         std::optional<uid_t> other_owner) {
  const std::string name = carillon::quoted(path.native());
  if (!is_trusted_owner(facts.st_uid, other_owner))
    return untrusted(
        fmt::format("the {} {} belongs to {}, not to {}", what, name, user_text(facts.st_uid), user_text(::geteuid())),
        fmt::format("run as its owner, or use your own {}", what));
  if ((facts.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return untrusted(fmt::format("other users can write to the {} {}", what, name),
                     fmt::format("chmod go-w {}", path.string()));
  return {};
}

}  // namespace carillon
