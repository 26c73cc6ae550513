#include "base/duration_text.hpp"
#include "cli/command_line/argument_values.hpp"
#include "cli/command_line/command_error.hpp"
#include "cli/command_line/flag_sets.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/connection/server_connection.hpp"
#include "cli/display/document_output.hpp"
#include "cli/terminal/printable.hpp"
#include "cli/user_definitions/definition_change.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace carillon::cli {

namespace {

namespace json = boost::json;

constexpr Duration window_default = std::chrono::days{7};
constexpr Duration diff_window_max = std::chrono::days{366};

Result<Duration> diff_window(const Arguments& arguments) {
  if (!arguments.has("window")) return window_default;
  const auto window = parse_duration(*arguments.value("window"));
  if (window && *window > Duration{0} && *window <= diff_window_max) return *window;
  return std::unexpected(
      usage_error(fmt::format("--window: invalid duration {}", printable(*arguments.value("window"))),
                  "give 1s to 366d, for example --window 30d"));
}

Result<std::vector<DefinitionChange>> all_changes(Client& client, const DefinitionFiles& files) {
  std::vector<DefinitionChange> changes;
  auto planned = planned_changes(client, files.schedules);
  for (std::size_t i = 0; i < planned.size(); ++i)
    changes.push_back(TRY(while_doing(std::move(planned[i]), "in {}", files.schedules[i].place)));
  return changes;
}

void print_changes(const std::vector<DefinitionChange>& changes, Duration window, Session& session) {
  const auto count = [&](DefinitionChange::Kind kind) {
    return std::ranges::count(changes, kind, &DefinitionChange::kind);
  };
  for (const DefinitionChange& change : changes) {
    if (change.kind == DefinitionChange::Kind::unchanged) continue;
    const bool is_new = change.kind == DefinitionChange::Kind::created;
    session.print(fmt::format("{}  {}\n{}", session.paint(Colour::bold, printable(change.id)),
                              session.paint(is_new ? Colour::green : Colour::yellow, is_new ? "new" : "changed"),
                              change_text(change, window, session)));
  }
  session.print(fmt::format("{} changed · {} new · {} equal\n", count(DefinitionChange::Kind::updated),
                            count(DefinitionChange::Kind::created), count(DefinitionChange::Kind::unchanged)));
}

Result<ExitCode> compare(const Arguments& arguments, Session& session) {
  const Duration window = TRY(diff_window(arguments));
  const DefinitionFiles files = TRY(read_definitions(arguments.targets, session));
  if (!files.is_sound()) {
    print_faults(files, session);
    return ExitCode::invalid;
  }
  Client client = TRY(connect(arguments, session));
  const auto changes = TRY(all_changes(client, files));
  json::array records;
  for (const DefinitionChange& change : changes) records.push_back(change_record(change, window, session));
  if (!TRY(print_documents(arguments, session, records))) print_changes(changes, window, session);
  const bool is_equal = std::ranges::all_of(
      changes, [](const DefinitionChange& change) { return change.kind == DefinitionChange::Kind::unchanged; });
  return is_equal ? ExitCode::ok : ExitCode::failed;
}

/// 1 is taken: it says that something differs.
Result<ExitCode> diff_command(const Arguments& arguments, Session& session) {
  auto outcome = compare(arguments, session);
  if (!outcome && exit_code_of(outcome.error()) == ExitCode::failed) {
    outcome.error().rule = "unreachable";
    if (outcome.error().hint.empty()) outcome.error().hint = "the server could not answer; try again";
  }
  return outcome;
}

}  // namespace

const Verb diff_verb{
    .name = "diff",
    .targets = "FILE|DIR...",
    .summary =
        "Shows what apply would change, and which starts would be added, removed or moved. Exits with 1 if there are "
        "changes.",
    .examples = {"carillon diff schedules/", "carillon diff nightly.yaml --window 30d",
                 "carillon export nightly | carillon diff -"},
    .group = VerbGroup::schedules,
    .flags =
        [] {
          return joined(
              {{{.names = "--window", .form = "DURATION", .text = "how far ahead to compare starts; default: 7d"}},
               output_flags(list_formats),
               fields_flag("JSON with only these fields, comma-separated: id, namespace, change, members, starts"),
               server_flags()});
        },
    .perform = diff_command,
    .completes = Completes::files,
};

}  // namespace carillon::cli
