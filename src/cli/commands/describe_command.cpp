#include "calendar/description/describe.hpp"
#include "cli/command_line/argument_values.hpp"
#include "cli/command_line/flag_sets.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/commands/occurrences.hpp"
#include "cli/connection/session.hpp"
#include "cli/display/record_output.hpp"
#include "cli/user_definitions/loaded_spec.hpp"

#include <boost/json/object.hpp>

#include <array>

namespace carillon::cli {

namespace {

constexpr std::array describe_formats{Format::table, Format::json};

Result<ExitCode> describe_command(const Arguments& arguments, Session& session) {
  const Format format = TRY(output_format(arguments.value("output"), describe_formats));
  const LoadedSpec loaded = TRY(load_spec(arguments, session));
  const std::string sentence = TRY(describe(loaded.spec, *loaded.zone, session.now));
  if (format == Format::json) {
    const auto warnings = warnings_json(findings_of(loaded.spec, loaded.zone, session));
    session.console.write(pretty_json(boost::json::object{{"description", sentence}, {"warnings", warnings}}));
    return ExitCode::ok;
  }
  const Range next_three{.from = session.now, .until = {}, .count_max = 3};
  const auto occurrences = occurrences_in(next_three, loaded, *loaded.zone);
  session.print(sentence + '\n' +
                occurrence_lines(occurrences, *loaded.zone, session.now, Detail::brief, session.paint));
  return ExitCode::ok;
}

}  // namespace

const Verb describe_verb{
    .name = "describe",
    .targets = "EXPR",
    .summary = "Describes a cron expression or a schedule in one sentence, with its next three runs.",
    .examples = {"carillon describe '*/15 9-17 * * 1-5' --tz America/New_York", "carillon describe '0 0 13 * 5'",
                 "carillon describe --spec nightly.yaml -o json"},
    .group = VerbGroup::time,
    .flags = [] { return joined({spec_flags(), output_flags("text|json")}); },
    .perform = describe_command,
};

}  // namespace carillon::cli
