#pragma once

#include "cli/command_line/arguments.hpp"
#include "cli/connection/session.hpp"

#include <boost/json/object.hpp>

#include <optional>
#include <span>
#include <string>

namespace carillon::cli {

/// `--cron`, `--every`, `--url`, `--overlap`, `--attempts` and the others of `add` and `edit`.
[[nodiscard]] FlagSpecs definition_flags();

/// Whether a definition is new: then what flags leave out is left to the server, and a label cannot be taken away.
enum class DefinitionUse { add, edit };

/// What the flags and the command behind `--` say, in the members of a schedule. For an edit it is a merge patch in
/// which new times replace all old ones. `zone` is that of times without an offset.
[[nodiscard]] Result<boost::json::object> definition_from(const Arguments& arguments,
                                                          std::span<const std::string> command, DefinitionUse use,
                                                          const std::string& zone, Session& session);

/// The server's words about a definition made of flags: a fault names the flag that was given, not the member of the
/// document that people never saw.
[[nodiscard]] Error in_words_of_flags(Error error, const Arguments& arguments);

}  // namespace carillon::cli
