#include "cli/connection/schedule_requests.hpp"

#include "base/ids.hpp"
#include "cli/command_line/argument_values.hpp"
#include "cli/command_line/command_error.hpp"
#include "cli/connection/server_connection.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <optional>

namespace carillon::cli {

namespace {

constexpr std::size_t selected_count_max = 10'000;

}  // namespace

Result<ApiAnswer> on_schedule(Client& client, std::string_view word, const ScheduleRequest& request) {
  // A name may have letters that no id has; the server refuses to look for those.
  if (ScheduleId::parse(std::string{word})) {
    auto answer = request("/schedules/" + path_part(word));
    if (answer || answer.error().rule != "not_found") return answer;
  }
  return request("/schedules/" + path_part(TRY(find_schedule_id(client, word))));
}

Result<ExitCode> on_schedules(Client& client, const std::vector<std::string>& words, Session& session,
                              const ScheduleRequest& request,
                              const std::function<Result<>(const boost::json::value& body)>& show) {
  std::optional<ExitCode> failed;
  for (const std::string& word : words) {
    const auto answer = on_schedule(client, word, request);
    if (answer) {
      TRY(show(answer->body));
      continue;
    }
    // A server that is not there is not there for the others either.
    if (words.size() == 1 || answer.error().rule == "unreachable") return std::unexpected(answer.error());
    print_error(session.console, Paint::of(session.console, Stream::error, ColourChoice::automatic),
                with_remedy(answer.error()));
    if (!failed) failed = exit_code_of(answer.error());
  }
  return failed.value_or(ExitCode::ok);
}

Result<std::vector<std::string>> some_targets(const Arguments& arguments, std::string_view example) {
  if (!arguments.targets.empty()) return arguments.targets;
  return std::unexpected(usage_error("no schedule name given", std::string{example}));
}

Result<std::vector<std::string>> selected_schedules(const Arguments& arguments, Client& client,
                                                    std::string_view example) {
  if (!arguments.knows("label") || !arguments.has("label")) return some_targets(arguments, example);
  if (!arguments.targets.empty())
    return std::unexpected(usage_error("give names or --label, not both", "leave one out"));
  Query filter;
  for (const std::string& label : arguments.values("label")) filter.emplace_back("label", label);
  const auto found = TRY(client.list_schedules(filter, selected_count_max));
  std::vector<std::string> ids;
  for (const client::Schedule& schedule : found.items) ids.push_back(schedule.id);
  if (!ids.empty()) return ids;
  return std::unexpected(
      Error{.code = ErrorCode::not_found,
            .message = fmt::format("no schedule has the label {}", fmt::join(arguments.values("label"), " and ")),
            .hint = "see all labels: carillon list -o json",
            .rule = "not_found",
            .position = {},
            .context = {}});
}

FlagSpecs label_flag() {
  return {{.names = "-l,--label",
           .form = "KEY=VALUE",
           .text = "all schedules with this label, instead of names; repeatable",
           .may_repeat = true}};
}

Result<bool> wants_text(const Arguments& arguments) {
  constexpr std::array formats{Format::table, Format::json, Format::yaml};
  return TRY(output_format(arguments.value("output"), formats)) == Format::table;
}

Query dry_run_query(const Arguments& arguments) { return {{"dryRun", arguments.has("dry-run") ? "true" : ""}}; }

}  // namespace carillon::cli
