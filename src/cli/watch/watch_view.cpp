#include "cli/watch/watch_view.hpp"

#include "cli/terminal/local_time.hpp"
#include "cli/terminal/printable.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace carillon::cli {

namespace {

constexpr std::size_t next_count_max = 10;
constexpr std::string_view keys_line = "Enter logs · w why · t trigger · c cancel · f failures · / find · ? · q quit";
constexpr std::array<std::string_view, 13> help_lines{"j, k, arrows   move",
                                                      "Enter          the log of the run, or of the newest one",
                                                      "w              why it runs, waits or failed",
                                                      "t              trigger the schedule",
                                                      "c              cancel the run, or all runs of the schedule",
                                                      "r              retry the run, or the newest one",
                                                      "p              pause the schedule, or resume it",
                                                      "f              what failed in the last 24 hours, and back",
                                                      "/              show only names that contain a text",
                                                      "Esc            show all again; leave a log",
                                                      "Ctrl-L         redraw",
                                                      "q, Ctrl-C      quit",
                                                      "?              this list"};

std::string clock_text_utc(Instant now) {
  const auto second = std::chrono::floor<std::chrono::seconds>(now);
  const std::string text = to_text(Instant{second});
  return text.substr(text.find('T') + 1);
}

std::string left_head(std::string_view title, Instant now) {
  return fmt::format("{} · {}", title, clock_text_utc(now));
}

/// `▶ 2  ⧗ 3  ✗ 1 in 24h`.
std::string right_head(const WatchData& data) {
  return fmt::format("▶ {}  ⧗ {}  ✗ {}{} in 24h", data.running.size(), data.waiting.size(), data.failed.size(),
                     data.failed.size() == failed_count_max ? "+" : "");
}

std::string without_case(std::string_view text) {
  std::string lower{text};
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return lower;
}

std::string_view empty_text(const WatchView& view) {
  if (!view.filter.empty()) return "  no matching name";
  return view.shows_failures ? "  nothing failed in the last 24 hours" : "  nothing is running or planned";
}

std::size_t name_width(const std::vector<WatchRow>& rows) {
  std::size_t width = 0;
  for (const WatchRow& row : rows) width = std::max(width, column_count(row.name));
  return width;
}

std::string row_text(const WatchRow& row, std::size_t width) {
  return fmt::format("{}{}  {}", row.name, std::string(width - std::min(width, column_count(row.name)), ' '),
                     row.detail);
}

std::string row_line(const WatchRow& row, std::size_t width, std::size_t columns, bool is_selected,
                     const Paint& paint) {
  const std::string text = clipped(paint.signs(row_text(row, width)), columns > 3 ? columns - 3 : 0);
  // The mark is there without colours too.
  return fmt::format("{}{} {}", is_selected ? ">" : " ", paint(row.sign.colour, paint.signs(row.sign.text)),
                     is_selected ? paint(Colour::bold, text) : text);
}

std::string head_line(const WatchData& data, const WatchView& view, std::size_t columns, Instant now,
                      const Paint& paint) {
  const std::string left = paint.signs(left_head(view.title, now));
  const std::string right = paint.signs(right_head(data));
  const std::size_t used = column_count(left) + column_count(right);
  const std::string gap(used + 2 <= columns ? columns - used : 2, ' ');
  return paint(Colour::bold, clipped(left + gap + right, columns));
}

/// Where the shown part begins, so that the selected row is in it.
std::size_t first_shown(std::size_t selected, std::size_t row_count, std::size_t room) {
  if (row_count <= room || selected < room / 2) return 0;
  return std::min(selected - room / 2, row_count - room);
}

}  // namespace

std::string clipped(std::string_view text, std::size_t columns) {
  std::size_t end = 0;
  for (std::size_t used = 0; end < text.size(); ++end) {
    const bool begins_character = (static_cast<unsigned char>(text[end]) & 0xc0U) != 0x80U;
    if (begins_character && used++ == columns) break;
  }
  return std::string{text.substr(0, end)};
}

std::vector<WatchRow> filtered(std::vector<WatchRow> rows, std::string_view filter) {
  const std::string wanted = without_case(filter);
  std::erase_if(rows, [&](const WatchRow& row) {
    return row.kind != WatchRow::Kind::found && !without_case(row.name).contains(wanted);
  });
  return rows;
}

std::vector<std::string> watch_frame(const WatchData& data, const std::vector<WatchRow>& rows, const WatchView& view,
                                     Screen::Size size, Instant now, const Paint& paint) {
  std::vector<std::string> lines{head_line(data, view, size.columns, now, paint)};
  const std::size_t room = size.rows > 2 ? size.rows - 2 : 0;
  if (view.has_help) {
    for (std::size_t i = 0; i < std::min(room, help_lines.size()); ++i)
      lines.push_back(clipped(fmt::format("  {}", help_lines[i]), size.columns));
  } else {
    const std::size_t begin = first_shown(view.selected, rows.size(), room);
    const std::size_t width = name_width(rows);
    for (std::size_t i = begin; i < std::min(rows.size(), begin + room); ++i)
      lines.push_back(row_line(rows[i], width, size.columns, i == view.selected, paint));
    if (rows.empty() && room > 0) lines.emplace_back(empty_text(view));
  }
  lines.resize(std::max<std::size_t>(1, size.rows > 0 ? size.rows - 1 : 1));
  if (size.rows > 1)
    lines.push_back(
        paint(Colour::dim, clipped(paint.signs(view.bottom.empty() ? keys_line : view.bottom), size.columns)));
  return lines;
}

std::string watch_snapshot(const WatchData& data, const std::vector<WatchRow>& rows, std::string_view title,
                           Instant now, const Paint& paint) {
  std::string text = fmt::format("{}    {}\n", paint(Colour::bold, left_head(title, now)), right_head(data));
  std::vector<WatchRow> present = rows;
  std::erase_if(present, [](const WatchRow& row) { return row.kind == WatchRow::Kind::next; });
  const std::size_t width = name_width(present);
  for (const WatchRow& row : present)
    text += fmt::format(" {} {}\n", paint(row.sign.colour, row.sign.text), row_text(row, width));
  std::vector<std::string> next;
  for (const client::UpcomingStart& start : data.upcoming) {
    if (next.size() == next_count_max) break;
    next.push_back(
        fmt::format("{} {}", printable(start.schedule), rough_duration(std::max(start.due - now, Duration{0}))));
  }
  if (!next.empty()) text += fmt::format(" next  {}\n", fmt::join(next, " · "));
  return text;
}

}  // namespace carillon::cli
