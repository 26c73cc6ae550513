#include "cli/commands/occurrences.hpp"

#include "cli/terminal/local_time.hpp"
#include "cli/terminal/table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace carillon::cli {

namespace {

std::optional<Instant> following(Instant instant, const Range& range, const Timetable& timetable) {
  if (range.direction == Range::Direction::forward) {
    const auto found = timetable.next(instant);
    return found && range.until && *found >= *range.until ? std::nullopt : found;
  }
  const auto found = timetable.previous(instant);
  return found && range.until && *found < *range.until ? std::nullopt : found;
}

/// Which parts of a time the lines show; the same for all, so that they line up.
struct Layout {
  bool has_year = false;
  bool has_seconds = false;
  bool has_utc = false;
};

bool is_utc(const Zone& zone) { return !zone.has_transitions() && zone.offset_at(0) == 0; }

Layout layout_of(const std::vector<Occurrence>& occurrences, const Zone& display, Instant now, Detail detail) {
  const int this_year = wall_time(now, display).date.year;
  Layout layout{.has_year = detail == Detail::wide, .has_seconds = detail == Detail::wide, .has_utc = !is_utc(display)};
  for (const Occurrence& occurrence : occurrences) {
    const WallTime wall = wall_time(occurrence.nominal, display);
    layout.has_year |= wall.date.year != this_year;
    layout.has_seconds |= wall.second != 0;
  }
  return layout;
}

std::string clock_cell(const WallTime& wall, bool has_seconds) {
  return has_seconds ? fmt::format("{:02}:{:02}:{:02}", wall.hour, wall.minute, wall.second) : clock_text(wall);
}

std::string local_cell(Instant instant, const Zone& display, const Layout& layout) {
  const WallTime wall = wall_time(instant, display);
  const std::string year = layout.has_year ? fmt::format(" {}", wall.date.year) : "";
  return fmt::format("{}{} {} {}", date_text(wall), year, clock_cell(wall, layout.has_seconds),
                     display.abbreviation_at(to_utc_second(instant)));
}

/// `05:30Z`, with the weekday when UTC is on another day than the local clock.
std::string utc_cell(Instant instant, const Zone& display, const Layout& layout) {
  const WallTime utc = wall_time(to_utc_second(instant));
  const bool is_same_day = utc.date == wall_time(instant, display).date;
  return fmt::format("{}{}Z", is_same_day ? "" : fmt::format("{} ", short_weekday(utc.weekday)),
                     clock_cell(utc, layout.has_seconds));
}

Cell note_cell(const std::optional<OccurrenceNote>& note) {
  if (!note) return {};
  return {.text = fmt::format("{} {}", note->is_warning ? "⚠" : "←", note->text),
          .colour = note->is_warning ? Colour::yellow : Colour::dim};
}

std::vector<Cell> row_of(const Occurrence& occurrence, const Zone& display, Instant now, const Layout& layout,
                         Detail detail) {
  std::vector<Cell> row{{.text = local_cell(occurrence.nominal, display, layout)}};
  if (detail == Detail::wide) {
    row.push_back({.text = to_text(occurrence.nominal), .colour = Colour::dim});
    row.push_back({.text = "due " + to_text(occurrence.due), .colour = Colour::dim});
  } else if (layout.has_utc) {
    row.push_back(
        {.text = utc_cell(occurrence.nominal, display, layout), .colour = Colour::dim, .align = Align::right});
  }
  row.push_back({.text = relative_text(occurrence.nominal, now)});
  row.push_back(note_cell(occurrence.note));
  return row;
}

}  // namespace

std::vector<Occurrence> occurrences_in(const Range& range, const LoadedSpec& loaded, const Zone& display) {
  std::vector<Occurrence> occurrences;
  Instant last = range.from;
  while (occurrences.size() < range.count_max) {
    const auto nominal = following(last, range, loaded.timetable);
    if (!nominal) break;
    auto note = clock_change_note(loaded.timetable, *nominal, display);
    if (!note && !occurrences.empty()) note = shift_note(last, *nominal, *loaded.zone, display);
    const Instant due = *nominal + loaded.timetable.jitter(*nominal, loaded.seed);
    occurrences.push_back({.nominal = *nominal, .due = due, .note = std::move(note)});
    last = *nominal;
  }
  return occurrences;
}

std::string occurrence_lines(const std::vector<Occurrence>& occurrences, const Zone& display, Instant now,
                             Detail detail, const Paint& paint) {
  const Layout layout = layout_of(occurrences, display, now, detail);
  const std::size_t number_width = std::max<std::size_t>(1, fmt::formatted_size("{}", occurrences.size()));
  Table table;
  for (std::size_t i = 0; i < occurrences.size(); ++i) {
    std::vector<Cell> row = row_of(occurrences[i], display, now, layout, detail);
    // The number and the time are one column, because only two blanks stand between them.
    row.front().text = fmt::format("{:>{}}  {}", i + 1, number_width, row.front().text);
    table.add(std::move(row));
  }
  return table.text(paint, "  ", "   ");
}

}  // namespace carillon::cli
