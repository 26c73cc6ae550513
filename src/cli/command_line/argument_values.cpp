#include "cli/command_line/argument_values.hpp"

#include "base/civil.hpp"
#include "base/duration_text.hpp"
#include "base/quoted.hpp"
#include "cli/command_line/command_error.hpp"
#include "cli/terminal/local_time.hpp"
#include "document/reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace carillon::cli {

namespace {

/// Advice that names the nearest of the known words, or all of them.
std::string advice(std::string_view word, std::span<const std::string_view> known) {
  const std::string_view nearest = nearest_word(word, known);
  const std::string all = fmt::format("one of: {}", fmt::join(known, ", "));
  return nearest.empty() ? all : fmt::format("did you mean {}? {}", nearest, all);
}

/// Reads fixed-width numbers and separators off the front of a text.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_{text} {}

  [[nodiscard]] std::optional<int> number(std::size_t width) {
    int value = 0;
    if (text_.size() < width) return std::nullopt;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + width, value);
    if (error != std::errc{} || end != text_.data() + width || text_.front() == '-') return std::nullopt;
    text_.remove_prefix(width);
    return value;
  }

  [[nodiscard]] bool skip(std::string_view any_of) {
    if (text_.empty() || !any_of.contains(text_.front())) return false;
    text_.remove_prefix(1);
    return true;
  }

  [[nodiscard]] bool is_done() const { return text_.empty(); }

 private:
  std::string_view text_;
};

std::optional<CivilDate> scan_date(Scanner& scanner) {
  const auto year = scanner.number(4);
  if (!year || !scanner.skip("-")) return std::nullopt;
  const auto month = scanner.number(2);
  if (!month || !scanner.skip("-")) return std::nullopt;
  const auto day = scanner.number(2);
  return day ? checked_date(*year, *month, *day) : std::nullopt;
}

/// Seconds since midnight; nothing at all is midnight.
std::optional<int> scan_time_of_day(Scanner& scanner) {
  if (scanner.is_done()) return 0;
  if (!scanner.skip(" Tt")) return std::nullopt;
  const auto hour = scanner.number(2);
  if (!hour || !scanner.skip(":")) return std::nullopt;
  const auto minute = scanner.number(2);
  const auto second = scanner.skip(":") ? scanner.number(2) : std::optional<int>{0};
  if (!minute || !second || *hour > 23 || *minute > 59 || *second > 59) return std::nullopt;
  return *hour * 3600 + *minute * 60 + *second;
}

std::optional<WallSecond> parse_wall_time(std::string_view text) {
  Scanner scanner{text};
  const auto date = scan_date(scanner);
  if (!date || date->year < 1900 || date->year > 2199) return std::nullopt;
  const auto second_of_day = scan_time_of_day(scanner);
  if (!second_of_day || !scanner.is_done()) return std::nullopt;
  return days_from_civil(date->year, date->month, date->day) * seconds_per_day + *second_of_day;
}

Instant instant_of(WallSecond wall, const Zone& zone) {
  const Zone::Period& period = zone.period(zone.period_passing(wall));
  const UtcSecond second = std::max(wall - period.offset, period.begin);
  return std::clamp(Instant{std::chrono::seconds{second}}, instant_min, instant_max);
}

constexpr std::array<std::string_view, 3> colour_words{"auto", "always", "never"};

}  // namespace

std::string_view format_name(Format format) {
  switch (format) {
    case Format::table: return "table";
    case Format::wide: return "wide";
    case Format::json: return "json";
    case Format::jsonl: return "jsonl";
    case Format::yaml: return "yaml";
    case Format::csv: return "csv";
  }
  std::unreachable();
}

Result<Format> output_format(const std::optional<std::string>& text, std::span<const Format> known) {
  if (!text || *text == "text") return Format::table;
  std::vector<std::string_view> words;
  for (const Format format : known) {
    if (*text == format_name(format)) return format;
    words.push_back(format_name(format));
  }
  return std::unexpected(usage_error(fmt::format("--output has no form {}", quoted(*text)), advice(*text, words)));
}

Result<ColourChoice> colour_choice(const std::optional<std::string>& text) {
  if (!text) return ColourChoice::automatic;
  const auto found = std::ranges::find(colour_words, *text);
  if (found != colour_words.end()) return static_cast<ColourChoice>(found - colour_words.begin());
  return std::unexpected(usage_error(fmt::format("--color cannot be {}", quoted(*text)), advice(*text, colour_words)));
}

Result<std::size_t> count_value(std::string_view flag, std::string_view text, std::size_t count_max) {
  std::size_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error == std::errc{} && end == text.data() + text.size() && count >= 1 && count <= count_max) return count;
  return std::unexpected(usage_error(fmt::format("{} cannot be {}", flag, quoted(text)),
                                     fmt::format("a whole number from 1 to {}", count_max)));
}

Result<std::vector<std::string>> field_names(std::string_view text, std::span<const std::string_view> known) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view name = text.substr(begin, end - begin);
    if (std::ranges::find(known, name) == known.end()) {
      return std::unexpected(
          usage_error(fmt::format("--json: there is no member {}", quoted(name)), advice(name, known)));
    }
    names.emplace_back(name);
    begin = end + 1;
  }
  return names;
}

Result<Instant> time_value(std::string_view flag, std::string_view text, const Zone& zone) {
  if (const auto wall = parse_wall_time(text)) return instant_of(*wall, zone);
  auto instant = parse_instant(text);
  if (instant) return instant;
  Error error = shown_in(std::move(instant).error(), text);
  error.message = fmt::format("{}: {}", flag, error.message);
  if (error.hint.empty()) error.hint = "for example 2027-03-14T02:30:00Z, 2027-03-14T02:30:00-05:00 or 2027-03-14";
  return std::unexpected(std::move(error));
}

Result<Instant> since_value(std::string_view flag, std::string_view text, const Zone& zone, Instant now) {
  if (text == "now") return now;
  if (const auto ago = parse_duration(text)) return std::max(now - *ago, instant_min);
  // A clock alone means today's.
  const bool is_clock = text.size() <= 8 && text.find(':') == 2;
  const CivilDate today = wall_time(now, zone).date;
  auto instant = time_value(
      flag,
      is_clock ? fmt::format("{:04}-{:02}-{:02} {}", today.year, today.month, today.day, text) : std::string{text},
      zone);
  if (!instant) instant.error().hint = "for example 24h, 2027-03-14 or 2027-03-14T02:30:00Z";
  return instant;
}

Result<Instant> until_value(std::string_view flag, std::string_view text, const Zone& zone, Instant now) {
  if (text == "now") return now;
  if (const auto ahead = parse_duration(text)) return std::min(now + *ahead, instant_max);
  auto instant = time_value(flag, text, zone);
  if (!instant) instant.error().hint = "for example 2h, 2027-03-14 or 2027-03-14T02:30:00Z";
  return instant;
}

Result<ZonePtr> zone_value(std::string_view flag, std::string_view name, ZoneSource& zones) {
  auto zone = zones.zone(name);
  if (zone) return zone;
  Error error = shown_in(std::move(zone).error(), name);
  error.message = fmt::format("{}: {}", flag, error.message);
  return std::unexpected(std::move(error));
}

}  // namespace carillon::cli
