#pragma once

#include "base/error.hpp"
#include "cli/connection/session.hpp"
#include "cli/settings/running_servers.hpp"
#include "cli/settings/settings.hpp"

#include <string>

namespace carillon::cli {

/// The token for a server: from the settings, else the one beside the server that runs here (`beside`, may be null),
/// else empty.
///
/// Nothing is taken for a token that does not look like one, so that no other file is ever sent to a server. A token
/// file may be a link, but must be a regular file of this user or root; `/dev/fd/N` may be a pipe. One that others can
/// read gets a warning.
[[nodiscard]] Result<std::string> find_token(const Settings& settings, const RunningServer* beside, Session& session);

}  // namespace carillon::cli
