#include "base/duration_text.hpp"

#include "base/quoted.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

namespace carillon {
namespace {

struct Unit {
  std::string_view word;
  std::int64_t microseconds;
};

constexpr std::int64_t second = 1'000'000;
constexpr std::int64_t duration_max = 36525LL * 86400 * second;  // 100 years

// From large to small: the order in which they may stand.
constexpr std::array<Unit, 7> short_units{{{"w", 7 * 86400 * second},
                                           {"d", 86400 * second},
                                           {"h", 3600 * second},
                                           {"m", 60 * second},
                                           {"s", second},
                                           {"ms", 1000},
                                           {"us", 1}}};
constexpr std::array<Unit, 2> iso_date_units{{{"W", 7 * 86400 * second}, {"D", 86400 * second}}};
constexpr std::array<Unit, 3> iso_time_units{{{"H", 3600 * second}, {"M", 60 * second}, {"S", second}}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::unexpected<Error> bad_duration(std::string_view text, std::size_t position, std::string_view why) {
  return std::unexpected(Error{.code = ErrorCode::invalid_argument,
                               .message = fmt::format("{} is not a duration: {}", quoted(text), why),
                               .hint = "write it like 90s, 15m, 1h30m, 2d or PT15M",
                               .rule = "invalid-duration",
                               .position = position,
                               .context = {}});
}

/// Reads number-and-unit pairs from `position` up to `end`, units strictly from large to small.
Result<std::int64_t> read_pairs(std::string_view text, std::size_t& position, std::size_t end,
                                std::span<const Unit> units) {
  std::int64_t total = 0;
  std::size_t next_unit = 0;
  while (position < end) {
    const std::size_t number_begin = position;
    std::int64_t number = 0;
    for (; position < end && is_digit(text[position]); ++position) {
      number = number * 10 + (text[position] - '0');
      if (number > duration_max) return bad_duration(text, number_begin, "it is longer than 100 years");
    }
    if (position == number_begin) return bad_duration(text, position, "expected a number");
    const std::size_t unit_begin = position;
    while (position < end && is_letter(text[position])) ++position;
    const std::string_view word = text.substr(unit_begin, position - unit_begin);
    if (word.empty()) return bad_duration(text, unit_begin, "the unit is missing");
    std::size_t index = 0;
    while (index < units.size() && units[index].word != word) ++index;
    if (index == units.size()) return bad_duration(text, unit_begin, "its unit is unknown");
    if (index < next_unit) return bad_duration(text, unit_begin, "units go from large to small, each once");
    next_unit = index + 1;
    if (number > duration_max / units[index].microseconds)
      return bad_duration(text, number_begin, "it is longer than 100 years");
    total += number * units[index].microseconds;
    if (total > duration_max) return bad_duration(text, number_begin, "it is longer than 100 years");
  }
  return total;
}

Result<Duration> parse_iso_duration(std::string_view text) {
  if (text.size() == 1 || text.back() == 'T') return bad_duration(text, text.size(), "nothing follows");
  const std::size_t time_mark = std::min(text.find('T'), text.size());
  std::size_t position = 1;
  std::int64_t total = TRY(read_pairs(text, position, time_mark, iso_date_units));
  if (time_mark < text.size()) {
    position = time_mark + 1;
    total += TRY(read_pairs(text, position, text.size(), iso_time_units));
  }
  if (total > duration_max) return bad_duration(text, 0, "it is longer than 100 years");
  return Duration{total};
}

}  // namespace

Result<Duration> parse_duration(std::string_view text) {
  if (text.empty()) return bad_duration(text, 0, "it is empty");
  if (text.front() == 'P') return parse_iso_duration(text);
  std::size_t position = 0;
  return Duration{TRY(read_pairs(text, position, text.size(), short_units))};
}

std::string to_text(Duration duration) {
  if (duration.count() == 0) return "0s";
  std::string text;
  // Unsigned, because the longest negative duration has no positive counterpart.
  auto rest = static_cast<std::uint64_t>(duration.count());
  if (duration.count() < 0) {
    text += '-';
    rest = 0 - rest;
  }
  // Weeks are read but not written: `7d` is as short and needs no thought.
  for (const Unit& unit : std::span{short_units}.subspan(1)) {
    const auto length = static_cast<std::uint64_t>(unit.microseconds);
    if (rest >= length) text += fmt::format("{}{}", rest / length, unit.word);
    rest %= length;
  }
  return text;
}

}  // namespace carillon
