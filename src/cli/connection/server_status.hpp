#pragma once

#include "cli/command_line/arguments.hpp"
#include "cli/command_line/session.hpp"

namespace carillon {

/// Shows the server: which, since when, how much it has to do, what is next. For `system`, and `status` without a name;
/// the verb has display_flags(), output_flags(document_formats) and server_flags().
[[nodiscard]] Result<ExitCode> server_status(const Arguments& arguments, Session& session);

}  // namespace carillon
