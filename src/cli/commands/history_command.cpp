#include "cli/command_line/argument_values.hpp"
#include "cli/command_line/flag_sets.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/commands/reasons.hpp"
#include "cli/connection/request_scope.hpp"
#include "cli/connection/run_lookup.hpp"
#include "cli/connection/server_connection.hpp"
#include "cli/display/document_output.hpp"
#include "cli/display/schedule_display.hpp"
#include "cli/terminal/formatting.hpp"
#include "cli/terminal/local_time.hpp"
#include "cli/terminal/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <vector>

namespace carillon::cli {

namespace {

namespace json = boost::json;

constexpr std::string_view nothing = "–";
constexpr std::string_view skipped_state = "skipped";

std::string short_time(std::optional<Instant> instant, const Zone& zone, Instant now) {
  if (!instant) return std::string{nothing};
  return short_time_text(std::chrono::floor<std::chrono::seconds>(*instant), zone, now);
}

/// The clock alone; the day too when it is not the day it was due.
std::string start_text(const JsonView& run, const Zone& zone) {
  const auto started = run.instant("startedAt");
  if (!started) return std::string{nothing};
  const WallTime wall = wall_time(*started, zone);
  const auto due = run.instant("due");
  const bool is_same_day = due && wall_time(*due, zone).date == wall.date;
  return fmt::format("{}{:02}:{:02}:{:02}", is_same_day ? "" : date_text(wall) + ' ', wall.hour, wall.minute,
                     wall.second);
}

std::string or_nothing(std::string text) { return text.empty() ? std::string{nothing} : text; }

std::string why_of(const JsonView& run) {
  if (run.text("state") == skipped_state) return skip_words(run.text("reason"));
  std::string text{source_words(run.text("source"))};
  const std::string error = run.text("error");
  const bool went_well = run.text("state") == "succeeded";
  if (!error.empty() && !went_well) text += "; " + error;
  return text;
}

/// The try it took, or how many of those it may.
std::string try_text(const JsonView& run) {
  const std::int64_t attempt = run.number("attempt").value_or(0);
  return attempt == 0 ? std::string{nothing} : fmt::format("{}", attempt);
}

std::vector<Cell> row_of(const JsonView& run, const Zone& zone, Instant now) {
  const bool has_run = run.text("state") != skipped_state;
  return {{.text = has_run ? printable(run.text("id")) : std::string{nothing}},
          {.text = short_time(run.instant("due"), zone, now)},
          {.text = start_text(run, zone)},
          {.text = or_nothing(length_text(run.number("lateMs")))},
          {.text = or_nothing(length_text(run.number("durationMs")))},
          {.text = try_text(run)},
          state_words(run.text("state")),
          {.text = printable(why_of(run))}};
}

/// Many in a row that were skipped for one reason.
std::vector<Cell> row_of_many(const JsonView& span, const Zone& zone, Instant now) {
  const std::string last = short_time(span.instant("to"), zone, now);
  return {{.text = std::string{nothing}},
          {.text = short_time(span.instant("from"), zone, now)},
          {.text = std::string{nothing}},
          {.text = std::string{nothing}},
          {.text = std::string{nothing}},
          {.text = std::string{nothing}},
          state_words(skipped_state),
          {.text = printable(fmt::format("{}; {} of them until {}", skip_words(span.text("reason")),
                                         span.number("count").value_or(0), last))}};
}

bool is_outage(const json::value& item) { return JsonView{item}.text("outcome") == "outage"; }

/// When no server decided.
std::vector<Cell> row_of_outage(const JsonView& outage, const Zone& zone, Instant now) {
  std::vector<Cell> row(8, Cell{.text = std::string{nothing}});
  row[1].text = short_time(outage.instant("from"), zone, now);
  row[6].text = "outage";
  row[7].text =
      fmt::format("{} until {}", outage_words(outage.text("cause")), short_time(outage.instant("to"), zone, now));
  return row;
}

bool is_many(const json::value& item) { return JsonView{item}.number("count").has_value(); }

/// Which runs are asked for.
struct RunSelection {
  std::string path;
  Query query;
  std::optional<Instant> since;
  std::string states;  // `failed,lost`
  std::size_t limit;

  [[nodiscard]] bool wants(std::string_view state) const {
    return states.empty() || ("," + states + ",").contains(fmt::format(",{},", state));
  }
};

/// The word `skipped` is ours: for the server it is no state of a run.
Result<Client::Items> runs_of(Client& client, const RunSelection& selection) {
  const bool with_skipped = selection.wants(skipped_state);
  Query query = selection.query;
  if (selection.since) query.emplace_back("since", to_text(*selection.since));
  query.emplace_back(with_skipped ? "decisions" : "state", with_skipped ? "true" : selection.states);
  const bool is_filtered_here = with_skipped && !selection.states.empty();
  auto found =
      TRY(client.list(selection.path + "/runs", query, is_filtered_here ? 10 * selection.limit : selection.limit));
  if (!is_filtered_here) return found;
  json::array wanted;
  for (json::value& run : found.items) {
    if (wanted.size() < selection.limit && selection.wants(JsonView{run}.text("state")))
      wanted.push_back(std::move(run));
  }
  found.items = std::move(wanted);
  return found;
}

/// Whether one of these came due in an outage, or shortly before it.
bool has_touched(const JsonView& outage, const json::array& items) {
  const Instant from = outage.instant("from").value_or(instant_max) - std::chrono::seconds{5};
  const Instant to = outage.instant("to").value_or(instant_min);
  return std::ranges::any_of(items, [&](const json::value& item) {
    const JsonView one{item};
    if (is_many(item)) return one.instant("from").value_or(to) < to && one.instant("to").value_or(from) >= from;
    const auto due = one.instant("due");
    return due && *due >= from && *due < to;
  });
}

/// Spans of skipped occurrences, which are no entries of their own among the runs, put where they belong in time.
Result<> add_spans(Client& client, const RunSelection& selection, Instant now, Client::Items& found) {
  if (!selection.wants(skipped_state)) return {};
  const auto nominal = [](const json::value& item) { return JsonView{item}.instant("nominal").value_or(instant_min); };
  const Instant oldest =
      found.items.empty() || !found.has_more ? selection.since.value_or(instant_min) : nominal(found.items.back());
  Query query = selection.query;
  query.emplace_back("from", to_text(oldest));
  query.emplace_back("to", to_text(now + Duration{1}));
  const ApiAnswer around = TRY(client.get(selection.path + "/occurrences", query));
  for (const json::value& item : JsonView{around.body}.items("items")) {
    if (is_many(item)) found.items.push_back(item);
  }
  json::array outages;
  for (const json::value& item : JsonView{around.body}.items("outages")) {
    const JsonView outage{item};
    if (!has_touched(outage, found.items)) continue;
    json::object entry{{"nominal", outage.text("from")}, {"outcome", "outage"}};
    for (const std::string_view key : {"from", "to", "cause"}) entry[key] = outage.text(key);
    outages.push_back(std::move(entry));
  }
  for (json::value& outage : outages) found.items.push_back(std::move(outage));
  // Keeps those of one time in the order they came.
  std::multimap<Instant, json::value, std::greater<>> newest_first;
  for (json::value& item : found.items) newest_first.emplace(nominal(item), std::move(item));
  found.items.clear();
  for (auto& [time, item] : newest_first) found.items.push_back(std::move(item));
  if (found.items.size() > selection.limit) found.items.resize(selection.limit);
  return {};
}

std::string table_of(const json::array& items, const Zone& zone, Session& session) {
  Table table;
  std::vector<Cell> heading;
  for (const std::string_view title : {"RUN", "DUE", "STARTED", "LATE", "TOOK", "TRY", "RESULT", "WHY"})
    heading.push_back({.text = std::string{title}, .colour = Colour::bold});
  table.add(std::move(heading));
  for (const json::value& item : items)
    table.add(is_outage(item) ? row_of_outage(JsonView{item}, zone, session.now)
              : is_many(item) ? row_of_many(JsonView{item}, zone, session.now)
                              : row_of(JsonView{item}, zone, session.now));
  return table.text(session.paint, "", "  ");
}

Result<ExitCode> history_command(const Arguments& arguments, Session& session) {
  const std::string word = TRY(one_target(arguments, "a schedule", "carillon history nightly"));
  const std::size_t limit = TRY(limit_of(arguments));
  const DisplayZone display = TRY(display_zone(arguments, session));
  Client client = TRY(connect(arguments, session));
  const ApiAnswer answer = TRY(get_schedule(client, word));
  const JsonView schedule{answer.body};
  const ZonePtr own_zone = zone_of(schedule, session);
  RunSelection selection{.path = "/schedules/" + path_part(schedule.text("id")),
                         .query = namespace_of(schedule),
                         .since = {},
                         .states = arguments.value("state").value_or(""),
                         .limit = limit};
  if (arguments.value("since"))
    selection.since = TRY(since_value("--since", *arguments.value("since"), display.of(own_zone), session.now));
  Client::Items found = TRY(runs_of(client, selection));
  TRY(add_spans(client, selection, session.now, found));
  if (TRY(print_documents(arguments, session, found.items))) return ExitCode::ok;
  if (found.items.empty()) {
    session.console.write_error(fmt::format("nothing yet; next: carillon status {}\n", printable(word)));
    return ExitCode::ok;
  }
  session.print(table_of(found.items, display.of(own_zone), session));
  return ExitCode::ok;
}

}  // namespace

const Verb history_verb{
    .name = "history",
    .targets = "SCHEDULE",
    .summary =
        "Lists what became of each due time, newest first: runs, how late and how long; what was skipped, and why.",
    .examples = {"carillon history nightly --limit 5", "carillon history nightly --since 24h --state failed,skipped",
                 "carillon history nightly -o jsonl"},
    .group = VerbGroup::schedules,
    .flags =
        [] {
          return joined({{{.names = "--since", .form = "TIME", .text = "only from this time on: a time, or 24h"},
                          {.names = "--state",
                           .form = "WORDS",
                           .text = "only these: succeeded, failed, skipped, …, between commas"}},
                         list_flags(),
                         output_flags(list_formats),
                         fields_flag(),
                         display_flags(),
                         server_flags()});
        },
    .perform = history_command,
    .completes = Completes::schedules,
};

}  // namespace carillon::cli
