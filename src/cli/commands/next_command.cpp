#include "calendar/description/describe.hpp"
#include "cli/command_line/argument_values.hpp"
#include "cli/command_line/command_error.hpp"
#include "cli/command_line/flag_sets.hpp"
#include "cli/command_line/time_value.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/commands/next_batch.hpp"
#include "cli/commands/occurrences.hpp"
#include "cli/connection/session.hpp"
#include "cli/display/record_output.hpp"
#include "cli/terminal/local_time.hpp"
#include "cli/user_definitions/loaded_spec.hpp"
#include "document/document.hpp"

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include <array>

namespace carillon::cli {

namespace {

namespace json = boost::json;

constexpr std::size_t count_default = 5;
constexpr std::size_t count_max = 100'000;
constexpr std::array next_formats{Format::table, Format::wide, Format::json, Format::jsonl, Format::yaml, Format::csv};
constexpr std::array<std::string_view, 4> next_members{"nominal", "due", "local", "note"};

/// Everything the answer is made of.
struct Answer {
  LoadedSpec loaded;
  ZonePtr display;
  Range range;
  std::string description;
  std::vector<Occurrence> occurrences;
};

Result<std::size_t> count_of(const Arguments& arguments) {
  if (arguments.value("count")) return count_value("-n", *arguments.value("count"), count_max);
  return arguments.value("until") ? count_max : count_default;
}

Result<Range> range_of(const Arguments& arguments, const Zone& zone, Instant now) {
  if (arguments.value("after") && arguments.value("before")) {
    return std::unexpected(usage_error("give --after or --before, not both", "for a range: --after T --until T"));
  }
  Range range{.from = now, .until = {}, .count_max = TRY(count_of(arguments))};
  if (arguments.value("after"))
    range.from = TRY(time_value("--after", *arguments.value("after"), zone, TimeSide::future, now));
  if (arguments.value("before")) {
    range.direction = Range::Direction::backward;
    range.from = TRY(time_value("--before", *arguments.value("before"), zone, TimeSide::past, now));
  }
  const TimeSide side = range.direction == Range::Direction::backward ? TimeSide::past : TimeSide::future;
  if (arguments.value("until")) range.until = TRY(time_value("--until", *arguments.value("until"), zone, side, now));
  return range;
}

Result<Answer> answer_to(const Arguments& arguments, Session& session) {
  LoadedSpec loaded = TRY(load_spec(arguments, session));
  ZonePtr display = loaded.zone;
  if (arguments.value("display-tz")) {
    display = TRY(zone_value("--display-tz", *arguments.value("display-tz"), session.zones));
  }
  const Range range = TRY(range_of(arguments, *display, session.now));
  std::string description = TRY(describe(loaded.spec));
  std::vector<Occurrence> occurrences = occurrences_in(range, loaded, *display);
  return Answer{.loaded = std::move(loaded),
                .display = std::move(display),
                .range = range,
                .description = std::move(description),
                .occurrences = std::move(occurrences)};
}

std::string nothing_left(const Range& range) {
  const std::string until = range.until ? fmt::format(" until {}", to_text(*range.until)) : "";
  const bool is_forward = range.direction == Range::Direction::forward;
  return fmt::format("  no occurrence {} {}{}\n", is_forward ? "after" : "before", to_text(range.from), until);
}

void print_table(const Answer& answer, Detail detail, Session& session) {
  std::string text = session.paint(Colour::bold, answer.description) + '\n';
  if (answer.occurrences.empty()) text += nothing_left(answer.range);
  text += occurrence_lines(answer.occurrences, *answer.display, session.now, detail, session.paint);
  session.print(text);
}

json::array occurrences_json(const Answer& answer) {
  json::array list;
  list.reserve(answer.occurrences.size());
  for (const Occurrence& occurrence : answer.occurrences) {
    list.push_back({{"nominal", to_text(occurrence.nominal)},
                    {"due", to_text(occurrence.due)},
                    {"local", local_text(occurrence.nominal, *answer.display)},
                    {"note", text_or_null(occurrence.note ? occurrence.note->text : "")}});
  }
  return list;
}

json::object document_of(const Answer& answer, Session& session) {
  return {{"description", answer.description},
          {"timezone", answer.loaded.spec.timezone},
          {"occurrences", occurrences_json(answer)},
          {"warnings", warnings_json(findings_of(answer.loaded.spec, answer.loaded.zone, session))}};
}

void print(const Answer& answer, Format format, Session& session) {
  switch (format) {
    case Format::table: return print_table(answer, Detail::brief, session);
    case Format::wide: return print_table(answer, Detail::wide, session);
    case Format::json: return session.console.write(pretty_json(document_of(answer, session)));
    case Format::yaml: return session.console.write(to_yaml(document_of(answer, session)));
    case Format::jsonl:
    case Format::csv: return session.console.write(records_text(occurrences_json(answer), next_members, format));
  }
}

/// A stretch that was not walked to its end must not look complete.
void tell_if_cut(const Answer& answer, const Arguments& arguments, Session& session) {
  if (arguments.value("count") || answer.occurrences.size() < count_max) return;
  session.console.write_error(fmt::format("note: stopped after {} occurrences; there may be more\n", count_max));
}

Result<ExitCode> next_command(const Arguments& arguments, Session& session) {
  if (arguments.has("batch")) return batch_command(arguments, session);
  const Format format = TRY(output_format(arguments.value("output"), next_formats));
  const Answer answer = TRY(answer_to(arguments, session));
  if (arguments.value("json")) {
    session.console.write(TRY(picked_text(occurrences_json(answer), *arguments.value("json"), next_members, format)));
  } else {
    print(answer, format, session);
  }
  tell_if_cut(answer, arguments, session);
  return ExitCode::ok;
}

}  // namespace

const Verb next_verb{
    .name = "next",
    .targets = "EXPR",
    .summary = "Shows when a cron expression or a schedule runs next, including clock changes.",
    .examples = {"carillon next '0 9 * * 1-5' --tz America/New_York",
                 "carillon next '30 2 * * *' --tz Europe/Berlin --after 2027-03-27 -n 3",
                 "carillon next --spec nightly.yaml -o json"},
    .group = VerbGroup::time,
    .flags =
        [] {
          return joined({spec_flags(),
                         {{.names = "--display-tz",
                           .form = "ZONE",
                           .text = "time zone for output; default: the zone of the spec"},
                          {.names = "--after", .form = "TIME", .text = "only times after this one; default: now"},
                          {.names = "--before", .form = "TIME", .text = "times before this one, newest first"},
                          {.names = "--until", .form = "TIME", .text = "stop before this time"},
                          {.names = "-n,--count",
                           .form = "N",
                           .text = "how many times to show, 1 to 100000; default: 5, with --until: all"},
                          {.names = "--batch",
                           .form = {},
                           .text = "answer questions from standard input, one JSON object per line"}},
                         output_flags("table|wide|json|jsonl|yaml|csv"),
                         fields_flag("JSON with only these fields, comma-separated: nominal, due, local, note")});
        },
    .perform = next_command,
};

}  // namespace carillon::cli
