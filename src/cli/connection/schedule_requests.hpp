#pragma once

#include "base/error.hpp"
#include "cli/command_line/arguments.hpp"
#include "cli/connection/session.hpp"
#include "client/client.hpp"

#include <boost/json/value.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace carillon::cli {

/// Asks a server about the schedule at this path: `/schedules/nightly`.
using ScheduleRequest = std::function<Result<ApiAnswer>(const std::string& path)>;

/// Sends the request for the schedule that a word means: an id at once; if there is none, the schedule whose name or
/// beginning it is.
[[nodiscard]] Result<ApiAnswer> on_schedule(Client& client, std::string_view word, const ScheduleRequest& request);

/// The same for several words. What fails is told on standard error and does not keep the others from being done;
/// `show` gets each answer that came; an error of it ends everything. The exit code is that of the first failure. A
/// single word fails as usual.
[[nodiscard]] Result<ExitCode> on_schedules(Client& client, const std::vector<std::string>& words, Session& session,
                                            const ScheduleRequest& request,
                                            const std::function<Result<>(const boost::json::value& body)>& show);

/// At least one word, or an error that shows an example.
[[nodiscard]] Result<std::vector<std::string>> some_targets(const Arguments& arguments, std::string_view example);

/// The same, or with --label the ids of all schedules that have these labels; an error not_found if none has.
[[nodiscard]] Result<std::vector<std::string>> selected_schedules(const Arguments& arguments, Client& client,
                                                                  std::string_view example);

/// Of verbs that may be told by labels which schedules they are about.
[[nodiscard]] FlagSpecs label_flag();

/// Whether people are to read the answer, who get lines instead of documents. An error when -o has no such form: asked
/// before anything is done.
[[nodiscard]] Result<bool> wants_text(const Arguments& arguments);

/// `?dryRun=true` if --dry-run stands there.
[[nodiscard]] Query dry_run_query(const Arguments& arguments);

}  // namespace carillon::cli
