#pragma once

#include "base/error.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <optional>
#include <string>

namespace carillon {

/// Whether files of this user are trusted: those of the user this process runs as, and those of root, who can do
/// anything anyway. `other_owner` is trusted, too.
[[nodiscard]] bool is_trusted_owner(uid_t owner, std::optional<uid_t> other_owner = {});

/// `alice (uid 1000)`, or `uid 1000` for a user without a name.
[[nodiscard]] std::string user_text(uid_t user);

/// An error (rule "untrusted-file") unless the owner is trusted and nobody else may write. `what` is `file` or
/// `folder`, for the message.
[[nodiscard]] Result<> check_ownership(const struct stat& facts, const std::filesystem::path& path,
                                       std::string_view what, std::optional<uid_t> other_owner = {});

/// An error with the rule "untrusted-file".
[[nodiscard]] std::unexpected<Error> untrusted(std::string message, std::string hint);

}  // namespace carillon
