#include "cli/terminal/formatting.hpp"

#include "calendar/description/describe.hpp"
#include "calendar/spec_document.hpp"
#include "cli/terminal/local_time.hpp"
#include "cli/terminal/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace carillon {

namespace {

struct StateLook {
  std::string_view state;
  std::string_view sign;
  std::string_view word;
  Colour colour;
};

constexpr std::array<StateLook, 15> state_looks{{
    {.state = "succeeded", .sign = "✔", .word = "ok", .colour = Colour::green},
    {.state = "failed", .sign = "✗", .word = "failed", .colour = Colour::red},
    {.state = "timed_out", .sign = "✗", .word = "timed out", .colour = Colour::red},
    {.state = "lost", .sign = "✗", .word = "lost", .colour = Colour::red},
    {.state = "cancelled", .sign = "⊘", .word = "cancelled", .colour = Colour::dim},
    {.state = "expired", .sign = "⊘", .word = "expired", .colour = Colour::yellow},
    {.state = "skipped", .sign = "⊘", .word = "skipped", .colour = Colour::yellow},
    {.state = "running", .sign = "▶", .word = "running", .colour = Colour::green},
    {.state = "retrying", .sign = "↻", .word = "retrying", .colour = Colour::yellow},
    {.state = "queued", .sign = "⧗", .word = "queued", .colour = Colour::none},
    {.state = "waiting", .sign = "⧗", .word = "waiting", .colour = Colour::none},
    {.state = "started", .sign = "▶", .word = "started", .colour = Colour::green},
    {.state = "planned", .sign = "·", .word = "planned", .colour = Colour::dim},
    {.state = "claimed", .sign = "▶", .word = "claimed", .colour = Colour::none},
    {.state = "launched", .sign = "▶", .word = "launched", .colour = Colour::none},
}};

StateLook look_of(std::string_view state) {
  const auto found = std::ranges::find(state_looks, state, &StateLook::state);
  return found != state_looks.end() ? *found
                                    : StateLook{.state = state, .sign = "?", .word = state, .colour = Colour::none};
}

}  // namespace

Cell state_sign(std::string_view state) {
  const StateLook look = look_of(state);
  return {.text = std::string{look.sign}, .colour = look.colour};
}

Cell state_words(std::string_view state) {
  const StateLook look = look_of(state);
  return {.text = fmt::format("{} {}", look.sign, look.word), .colour = look.colour};
}

bool only_waits(const JsonView& schedule) {
  const auto& runs = schedule.items("recentRuns");
  const auto waits = [](const auto& run) { return JsonView{run}["waitingFor"].is_there(); };
  const auto works = [](const auto& run) { return JsonView{run}.text("state") == "running"; };
  return schedule.number("running").value_or(0) > 0 && std::ranges::any_of(runs, waits) &&
         std::ranges::none_of(runs, works);
}

std::string hold_text(const JsonView& run) {
  const JsonView wait = run["waitingFor"];
  if (!wait.is_there() || wait.text("what") != "paused_queue") return {};
  const std::string queue = printable(wait.text("queue"));
  const std::string name_space = run.text("namespace");
  const bool is_elsewhere = !queue.starts_with('@') && !name_space.empty() && name_space != "default";
  return fmt::format("queue {} is paused → carillon queue resume {}{}", queue, queue,
                     is_elsewhere ? " --namespace " + printable(name_space) : "");
}

Cell schedule_sign(const JsonView& schedule) {
  const std::string status = schedule.text("status");
  if (status == "paused") return {.text = "‖", .colour = Colour::yellow};
  if (status == "dead") return {.text = "✗", .colour = Colour::red};
  if (status == "disabled" || status == "done") return {.text = "○", .colour = Colour::dim};
  if (only_waits(schedule)) return {.text = "⧗", .colour = Colour::yellow};
  if (schedule.number("running").value_or(0) > 0) return {.text = "▶", .colour = Colour::green};
  return {.text = "●", .colour = schedule.text("activity") == "error" ? Colour::red : Colour::green};
}

ZonePtr zone_of(const JsonView& schedule, Session& session) {
  auto zone = session.zones.zone(schedule["spec"].text("timezone"));
  if (!zone) zone = session.zones.zone("UTC");
  return *zone;
}

std::string when_text(const JsonView& schedule, Session& session) {
  const JsonView document = schedule["spec"];
  if (!document.is_there()) return {};
  if (const auto spec = read_spec(*document.value(), "UTC", ""); spec) {
    const auto sentence = describe(*spec, *zone_of(schedule, session), session.now);
    if (sentence) return *sentence;
  }
  const auto& crons = document.items("cron");
  return crons.empty() ? std::string{} : JsonView{crons.front()}.text();
}

std::string short_time_text(Instant instant, const Zone& zone, Instant now) {
  const WallTime wall = wall_time(instant, zone);
  const bool is_this_year = wall.date.year == wall_time(now, zone).date.year;
  std::string date = date_text(wall);
  if (!is_this_year) date += fmt::format(" {}", wall.date.year);
  return date + ' ' + clock_text(wall);
}

std::string time_text(Instant instant, const Zone& zone, Instant now) {
  return fmt::format("{} {}", short_time_text(instant, zone, now), zone.abbreviation_at(to_utc_second(instant)));
}

std::string prose_time(Instant instant, const Zone& zone, Instant now) {
  std::string text = time_text(instant, zone, now);
  if (const std::size_t gap = text.find("  "); gap != std::string::npos) text.erase(gap, 1);
  return text;
}

std::string length_text(std::optional<std::int64_t> milliseconds) {
  if (!milliseconds) return {};
  const std::int64_t seconds = *milliseconds / 1000;
  if (*milliseconds < 10'000) return fmt::format("{}.{}s", seconds, *milliseconds % 1000 / 100);
  if (seconds < 60) return fmt::format("{}s", seconds);
  if (seconds < 3600) return fmt::format("{}m{:02}s", seconds / 60, seconds % 60);
  if (seconds < seconds_per_day) return fmt::format("{}h{:02}m", seconds / 3600, seconds / 60 % 60);
  return fmt::format("{}d{:02}h", seconds / seconds_per_day, seconds / 3600 % 24);
}

Cell recent_cell(const JsonView& schedule, const Paint& paint) {
  Cell cell;
  const auto& runs = schedule.items("recentRuns");
  // Words of ASCII need blanks to be told apart.
  const std::string_view gap = paint.has_utf8() ? "" : " ";
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
    const Cell sign = state_sign(JsonView{*run}.text("state"));
    if (!cell.text.empty()) {
      cell.text += gap;
      cell.painted += gap;
    }
    cell.text += sign.text;
    cell.painted += paint(sign.colour, sign.text);
  }
  return cell;
}

std::string recent_signs(const JsonView& schedule, const Paint& paint) { return recent_cell(schedule, paint).painted; }

std::optional<std::size_t> width_max(const Console& console) {
  if (!console.is_terminal(Stream::output)) return std::nullopt;
  const auto columns = console.environment("COLUMNS");
  std::size_t width = 0;
  if (columns && std::from_chars(columns->data(), columns->data() + columns->size(), width).ec == std::errc{} &&
      width > 0)
    return width;
  return console.terminal_width();
}

std::string bar(std::int64_t value, std::int64_t largest, const Paint& paint) {
  constexpr std::array<std::string_view, 9> bars{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  // Whatever is there is seen, however small.
  const std::int64_t height = largest <= 0 || value <= 0 ? 0 : std::max<std::int64_t>(1, value * 8 / largest);
  return paint.has_utf8() ? std::string{bars[static_cast<std::size_t>(height)]} : fmt::format("{}", height);
}

std::string sparkline(const std::vector<std::int64_t>& values, const Paint& paint) {
  const std::int64_t largest = values.empty() ? 0 : std::ranges::max(values);
  std::string line;
  for (const std::int64_t value : values) line += bar(value, largest, paint);
  return line;
}

}  // namespace carillon
