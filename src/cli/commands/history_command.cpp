#include "cli/command_line/argument_values.hpp"
#include "cli/command_line/flag_sets.hpp"
#include "cli/command_line/time_value.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/commands/reasons.hpp"
#include "cli/connection/server_connection.hpp"
#include "cli/display/document_output.hpp"
#include "cli/display/item_display.hpp"
#include "cli/display/run_display.hpp"
#include "cli/display/schedule_display.hpp"
#include "cli/terminal/formatting.hpp"
#include "cli/terminal/local_time.hpp"
#include "cli/terminal/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <variant>
#include <vector>

namespace carillon::cli {

namespace {

namespace json = boost::json;

constexpr std::string_view nothing = "–";
constexpr std::string_view skipped_state = "skipped";
constexpr std::size_t occurrence_page_size = 500;  // what the server gives, the newest

std::string short_time(std::optional<Instant> instant, const Zone& zone, Instant now) {
  if (!instant) return std::string{nothing};
  return short_time_text(std::chrono::floor<std::chrono::seconds>(*instant), zone, now);
}

/// The clock alone; the day too when it is not the day it was due.
std::string start_text(const client::Run& run, const Zone& zone) {
  if (!run.started_at) return std::string{nothing};
  const WallTime wall = wall_time(*run.started_at, zone);
  const bool is_same_day = run.due && wall_time(*run.due, zone).date == wall.date;
  return fmt::format("{}{:02}:{:02}:{:02}", is_same_day ? "" : date_text(wall) + ' ', wall.hour, wall.minute,
                     wall.second);
}

std::string or_nothing(std::string text) { return text.empty() ? std::string{nothing} : text; }

std::string why_of(const client::Run& run) {
  if (run.state == skipped_state) return skip_words(run.reason);
  std::string text = source_text(run);
  if (!run.error.empty() && run.state != "succeeded") text += "; " + run.error;
  return text;
}

/// One line of the history: a run or what was skipped in its place, many that were skipped, an outage, or what somebody
/// did that keeps starts from happening, or lets them happen again.
struct HistoryEntry {
  Instant nominal{};
  std::variant<client::Run, client::Occurrence, client::Outage, client::ScheduleChange> content{};
  json::value document{};
};

std::vector<Cell> row_of(const client::Run& run, const Zone& zone, Instant now) {
  const bool has_run = run.state != skipped_state;
  return {{.text = has_run ? printable(run.id) : std::string{nothing}},
          {.text = short_time(run.due, zone, now)},
          {.text = start_text(run, zone)},
          {.text = or_nothing(length_text(run.late_ms))},
          {.text = or_nothing(length_text(run.duration_ms))},
          {.text = run.attempt == 0 ? std::string{nothing} : fmt::format("{}", run.attempt)},
          state_words(run.state),
          {.text = printable(why_of(run))}};
}

/// Many in a row that were skipped for one reason.
std::vector<Cell> row_of(const client::Occurrence& span, const Zone& zone, Instant now) {
  std::vector<Cell> row(8, Cell{.text = std::string{nothing}});
  row[1].text = short_time(span.from, zone, now);
  row[6] = state_words(skipped_state);
  row[7].text = printable(fmt::format("{}; {} of them until {}", skip_words(span.reason), span.count.value_or(0),
                                      short_time(span.to, zone, now)));
  return row;
}

/// When no server decided.
std::vector<Cell> row_of(const client::Outage& outage, const Zone& zone, Instant now) {
  std::vector<Cell> row(8, Cell{.text = std::string{nothing}});
  row[1].text = short_time(outage.from, zone, now);
  row[6].text = "outage";
  row[7].text = fmt::format("{} until {}", outage_words(outage.cause), short_time(outage.to, zone, now));
  return row;
}

std::vector<Cell> row_of(const client::ScheduleChange& change, const Zone& zone, Instant now) {
  std::vector<Cell> row(8, Cell{.text = std::string{nothing}});
  row[1].text = short_time(change.at, zone, now);
  row[6].text = printable(change.kind);
  std::string why = change.by.empty() ? std::string{} : "by " + change.by;
  if (change.until) why += " until " + short_time(change.until, zone, now);
  if (!change.reason.empty()) why += fmt::format(": \"{}\"", change.reason);
  row[7].text = printable(why);
  return row;
}

/// Shown where a run goes through items.
constexpr std::ptrdiff_t items_column = 6;

std::string items_of(const HistoryEntry& entry) {
  const auto* run = std::get_if<client::Run>(&entry.content);
  return run == nullptr ? std::string{} : items_text(*run);
}

bool is_shown(const client::ScheduleChange& change) {
  constexpr std::array<std::string_view, 4> kinds{"paused", "resumed", "disabled", "enabled"};
  return std::ranges::find(kinds, change.kind) != kinds.end();
}

/// Which runs are asked for.
struct RunSelection {
  const client::Schedule& schedule;
  std::optional<Instant> since;
  std::string states;  // `failed,lost`
  std::size_t limit;

  [[nodiscard]] bool wants(std::string_view state) const {
    return states.empty() || ("," + states + ",").contains(fmt::format(",{},", state));
  }
};

struct History {
  std::vector<HistoryEntry> entries{};  // newest first
  bool has_more = false;
};

/// The word `skipped` is ours: for the server it is no state of a run.
Result<History> runs_of(Client& client, const RunSelection& selection) {
  const bool with_skipped = selection.wants(skipped_state);
  Query filter;
  if (selection.since) filter.emplace_back("since", to_text(*selection.since));
  filter.emplace_back(with_skipped ? "decisions" : "state", with_skipped ? "true" : selection.states);
  const bool is_filtered_here = with_skipped && !selection.states.empty();
  auto found = TRY(client.list_runs_of(selection.schedule.id, selection.schedule.name_space, filter,
                                       is_filtered_here ? 10 * selection.limit : selection.limit));
  History history{.has_more = found.has_more};
  for (std::size_t i = 0; i < found.items.size(); ++i) {
    client::Run& run = found.items[i];
    if (is_filtered_here && !selection.wants(run.state)) continue;
    if (history.entries.size() == selection.limit) {
      history.has_more = true;
      break;
    }
    history.entries.push_back({.nominal = run.nominal.value_or(instant_min),
                               .content = std::move(run),
                               .document = std::move(found.documents[i])});
  }
  return history;
}

/// Whether one of these came due in an outage, or shortly before it.
bool has_touched(const client::Outage& outage, const std::vector<HistoryEntry>& entries) {
  const Instant from = outage.from - std::chrono::seconds{5};
  return std::ranges::any_of(entries, [&](const HistoryEntry& entry) {
    if (const auto* span = std::get_if<client::Occurrence>(&entry.content))
      return span->from.value_or(outage.to) < outage.to && span->to.value_or(from) >= from;
    const auto* run = std::get_if<client::Run>(&entry.content);
    return run != nullptr && run->due && *run->due >= from && *run->due < outage.to;
  });
}

HistoryEntry entry_of(const client::Outage& outage, const json::object& document) {
  json::object shown{{"nominal", document.at("from")}, {"outcome", "outage"}};
  for (const std::string_view key : {"from", "to", "cause"}) shown[key] = document.at(key);
  return {.nominal = outage.from, .content = outage, .document = std::move(shown)};
}

void add_changes(const client::Answer<client::Occurrences>& page, std::vector<HistoryEntry>& entries) {
  for (std::size_t i = 0; i < page.value.changes.size(); ++i) {
    const client::ScheduleChange& change = page.value.changes[i];
    if (!is_shown(change)) continue;
    json::object document = page.document.get_object().at("changes").get_array().at(i).get_object();
    document["nominal"] = to_text(change.at);
    document["outcome"] = change.kind;
    entries.push_back({.nominal = change.at, .content = change, .document = std::move(document)});
  }
}

void add_page(const client::Answer<client::Occurrences>& page, std::vector<HistoryEntry>& entries,
              std::map<Instant, HistoryEntry>& outages) {
  const json::object& document = page.document.get_object();
  for (std::size_t i = 0; i < page.value.items.size(); ++i) {
    const client::Occurrence& span = page.value.items[i];
    if (!span.count) continue;
    entries.push_back({.nominal = span.nominal, .content = span, .document = document.at("items").get_array().at(i)});
  }
  for (std::size_t i = 0; i < page.value.outages.size(); ++i) {
    const client::Outage& outage = page.value.outages[i];
    outages.try_emplace(outage.from, entry_of(outage, document.at("outages").get_array().at(i).get_object()));
  }
}

/// Spans of skipped occurrences, which are no entries of their own among the runs, and outages, put where they belong
/// in time.
Result<> add_spans(Client& client, const RunSelection& selection, Instant now, History& history) {
  if (!selection.wants(skipped_state)) return {};
  auto& entries = history.entries;
  const Instant oldest =
      entries.empty() || !history.has_more ? selection.since.value_or(instant_min) : entries.back().nominal;
  std::map<Instant, HistoryEntry> outages;
  std::optional<Instant> end = now + Duration{1};
  while (end && *end > oldest) {
    const auto around = TRY(client.get_occurrences(selection.schedule.id, selection.schedule.name_space, oldest, *end));
    add_page(around, entries, outages);
    if (selection.states.empty()) add_changes(around, entries);
    const auto& items = around.value.items;
    end = items.size() < occurrence_page_size ? std::nullopt : std::optional{items.front().nominal};
  }
  std::erase_if(outages, [&](const auto& outage) {
    return !has_touched(std::get<client::Outage>(outage.second.content), entries);
  });
  for (auto& [from, outage] : outages) entries.push_back(std::move(outage));
  // Keeps those of one time in the order they came.
  std::ranges::stable_sort(entries, std::ranges::greater{}, &HistoryEntry::nominal);
  if (entries.size() > selection.limit) {
    entries.resize(selection.limit);
    history.has_more = true;
  }
  return {};
}

std::string table_of(const std::vector<HistoryEntry>& entries, const Zone& zone, Session& session) {
  Table table;
  std::vector<Cell> heading;
  for (const std::string_view title : {"RUN", "DUE", "STARTED", "LATE", "TOOK", "ATT.", "RESULT", "WHY"})
    heading.push_back({.text = std::string{title}, .colour = Colour::bold});
  const bool has_items =
      std::ranges::any_of(entries, [](const HistoryEntry& entry) { return !items_of(entry).empty(); });
  if (has_items) heading.insert(heading.begin() + items_column, {.text = "ITEMS", .colour = Colour::bold});
  table.add(std::move(heading));
  for (const HistoryEntry& entry : entries) {
    auto row = std::visit([&](const auto& content) { return row_of(content, zone, session.now); }, entry.content);
    if (has_items) row.insert(row.begin() + items_column, {.text = or_nothing(items_of(entry))});
    table.add(std::move(row));
  }
  return table.text(session.paint, "", "  ");
}

Result<ExitCode> history_command(const Arguments& arguments, Session& session) {
  const std::string word = TRY(one_target(arguments, "a schedule", "carillon history nightly"));
  const std::size_t limit = TRY(limit_of(arguments, session));
  const DisplayZone display = TRY(display_zone(arguments, session));
  Client client = TRY(connect(arguments, session));
  const client::Schedule schedule = TRY(find_schedule(client, word)).value;
  const ZonePtr own_zone = zone_of(schedule, session);
  RunSelection selection{
      .schedule = schedule, .since = {}, .states = arguments.value("state").value_or(""), .limit = limit};
  if (arguments.value("since"))
    selection.since = TRY(time_value("--since", *arguments.value("since"),
                                     *TRY(reading_zone(arguments, own_zone, session)), TimeSide::past, session.now));
  History history = TRY(runs_of(client, selection));
  TRY(add_spans(client, selection, session.exact_now(), history));
  note_left_out(arguments, session, {.what = "entries", .shown = history.entries.size(), .has_more = history.has_more});
  json::array documents;
  for (const HistoryEntry& entry : history.entries) documents.push_back(entry.document);
  if (TRY(print_documents(arguments, session, documents))) return ExitCode::ok;
  if (history.entries.empty()) {
    session.console.write_error(
        fmt::format("nothing has been decided yet; see the next start: carillon status {}\n", printable(word)));
    return ExitCode::ok;
  }
  session.print(table_of(history.entries, display.of(own_zone), session));
  return ExitCode::ok;
}

}  // namespace

const Verb history_verb{
    .name = "history",
    .targets = "SCHEDULE",
    .summary =
        "Lists every decision of a schedule, newest first: runs with delay and duration, and skipped times with the "
        "reason.",
    .examples = {"carillon history nightly --limit 5", "carillon history nightly --since 24h --state failed,skipped",
                 "carillon history nightly -o jsonl"},
    .group = VerbGroup::schedules,
    .flags =
        [] {
          return joined(
              {{{.names = "--since", .form = "TIME", .text = "only since this time, or within this duration: 24h"},
                {.names = "--state",
                 .form = "WORDS",
                 .text = "only these states, comma-separated: succeeded, failed, skipped, …"}},
               list_flags(),
               output_flags(list_formats),
               fields_flag("JSON with only these fields, comma-separated: id, nominal, due, state, reason, attempt, "
                           "startedAt, endedAt, error, …"),
               display_flags(),
               server_flags()});
        },
    .perform = history_command,
    .completes = Completes::schedules,
};

}  // namespace carillon::cli
