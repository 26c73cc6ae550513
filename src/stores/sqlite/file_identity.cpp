#include "stores/sqlite/file_identity.hpp"

#include "ports/store_health.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <system_error>

namespace carillon::sqlite {
namespace {

std::unexpected<Error> gone(const std::filesystem::path& file, std::string_view how) {
  auto error = fail(ErrorCode::unavailable, "{} {} while the server runs; nothing is written any more",
                    file.filename().string(), how);
  error.error().hint = "stop the server, put its data folder back from a backup, and start it again";
  error.error().rule = rule_of(StoreFailureKind::unwritable);
  return error;
}

}  // namespace

Result<FileIdentity> FileIdentity::of(const std::filesystem::path& file) {
  struct stat facts{};
  if (::stat(file.c_str(), &facts) != 0)
    return fail(ErrorCode::unavailable, "cannot look at {}: {}", file.string(), std::generic_category().message(errno));
  return FileIdentity{std::filesystem::absolute(file), facts.st_dev, facts.st_ino};
}

Result<> FileIdentity::check() const {
  struct stat facts{};
  if (::stat(file_.c_str(), &facts) != 0) {
    // What cannot be seen for another reason (a folder without rights) may still be there.
    return errno == ENOENT || errno == ENOTDIR ? gone(file_, "or its folder was deleted") : Result<>{};
  }
  if (facts.st_dev == device_ && facts.st_ino == number_) return {};
  return gone(file_, "or its folder was replaced");
}

}  // namespace carillon::sqlite
