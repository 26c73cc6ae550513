#include "cli/terminal/formatting.hpp"

#include "cli/terminal/local_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace carillon::cli {

namespace {

struct StateStyle {
  std::string_view state;
  std::string_view sign;
  std::string_view word;
  Colour colour;
};

constexpr std::array<StateStyle, 15> state_styles{{
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

StateStyle style_of(std::string_view state) {
  const auto found = std::ranges::find(state_styles, state, &StateStyle::state);
  return found != state_styles.end() ? *found
                                     : StateStyle{.state = state, .sign = "?", .word = state, .colour = Colour::none};
}

}  // namespace

Cell state_sign(std::string_view state) {
  const StateStyle style = style_of(state);
  return {.text = std::string{style.sign}, .colour = style.colour};
}

Cell state_words(std::string_view state) {
  const StateStyle style = style_of(state);
  return {.text = fmt::format("{} {}", style.sign, style.word), .colour = style.colour};
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

std::string with_local_times(std::string_view sentence, const Zone& zone, Instant now) {
  std::string text;
  while (!sentence.empty()) {
    std::size_t word_end = std::min(sentence.find_first_of(" ,;"), sentence.size());
    if (word_end > 1 && sentence[word_end - 1] == ':') --word_end;
    const std::string_view word = sentence.substr(0, word_end);
    const auto instant = parse_instant(word);
    text += instant ? prose_time(*instant, zone, now) : std::string{word};
    const std::size_t next = std::min(sentence.find_first_not_of(" ,;:", word_end), sentence.size());
    text += sentence.substr(word_end, next - word_end);
    sentence.remove_prefix(next);
  }
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

}  // namespace carillon::cli
