#include "files/private_folder.hpp"

#include "base/quoted.hpp"
#include "files/trusted_owner.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <system_error>

namespace carillon {
namespace {

namespace fs = std::filesystem;

std::unexpected<Error> cannot_with_folder(std::string_view do_what, const fs::path& folder, int error) {
  const ErrorCode code = error == ENOENT ? ErrorCode::not_found : ErrorCode::unavailable;
  return fail(code, "cannot {} the folder {}: {}", do_what, carillon::quoted(folder.native()),
              std::generic_category().message(error));
}

Result<struct stat> folder_facts(const fs::path& folder) {
  struct stat facts{};
  if (::lstat(folder.c_str(), &facts) != 0) return cannot_with_folder("look at", folder, errno);
  if (!S_ISDIR(facts.st_mode))
    return fail(ErrorCode::invalid_argument, "{} is not a folder", carillon::quoted(folder.native()));
  return facts;
}

Result<fs::path> without_links(const fs::path& folder) {
  std::error_code error;
  fs::path real = fs::canonical(folder, error);
  if (error) return cannot_with_folder("look at", folder, error.value());
  return real;
}

/// A folder above: whoever may rename what is in it decides which folder stands below.
Result<> check_above(const fs::path& above, const fs::path& folder, std::optional<uid_t> other_owner) {
  const struct stat facts = TRY(folder_facts(above));
  const std::string where = fmt::format("the folder {} above {}", carillon::quoted(above.native()),
                                        carillon::quoted(folder.filename().native()));
  if (!is_trusted_owner(facts.st_uid, other_owner))
    return untrusted(fmt::format("{} belongs to {}, who could replace it", where, user_text(facts.st_uid)),
                     "use a folder inside one of your own");
  if ((facts.st_mode & S_IWOTH) != 0 && (facts.st_mode & S_ISVTX) == 0)
    return untrusted(fmt::format("everyone can write to {} and could replace it", where),
                     fmt::format("chmod o-w {}", above.string()));
  return {};
}

Result<> check_real(const fs::path& real, std::optional<uid_t> other_owner) {
  TRY(check_ownership(TRY(folder_facts(real)), real, "folder", other_owner));
  for (fs::path above = real; above.has_relative_path();) {
    above = above.parent_path();
    TRY(check_above(above, real, other_owner));
  }
  return {};
}

}  // namespace

Result<> check_private_folder(const fs::path& folder, std::optional<uid_t> other_owner) {
  return check_real(TRY(without_links(folder)), other_owner);
}

Result<fs::path> make_private_folder(const fs::path& folder) {
  const fs::path whole = fs::absolute(folder).lexically_normal();
  // `data/` is `data`.
  const fs::path named = whole.has_filename() ? whole : whole.parent_path();
  std::error_code error;
  fs::create_directories(named.parent_path(), error);
  if (::mkdir(named.c_str(), 0700) != 0 && errno != EEXIST) return cannot_with_folder("make", named, errno);
  fs::path real = TRY(without_links(named));
  TRY(check_real(real, std::nullopt));
  return real;
}

}  // namespace carillon
