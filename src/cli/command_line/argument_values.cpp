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
  return std::unexpected(
      usage_error(fmt::format("--output: unknown format {}", carillon::quoted(*text)), advice(*text, words)));
}

Result<ColourChoice> colour_choice(const std::optional<std::string>& text) {
  if (!text) return ColourChoice::automatic;
  const auto found = std::ranges::find(colour_words, *text);
  if (found != colour_words.end()) return static_cast<ColourChoice>(found - colour_words.begin());
  return std::unexpected(
      usage_error(fmt::format("--color: unknown value {}", carillon::quoted(*text)), advice(*text, colour_words)));
}

Result<std::size_t> count_value(std::string_view flag, std::string_view text, std::size_t count_max) {
  std::size_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error == std::errc{} && end == text.data() + text.size() && count >= 1 && count <= count_max) return count;
  return std::unexpected(usage_error(fmt::format("{}: invalid value {}", flag, carillon::quoted(text)),
                                     fmt::format("give a whole number from 1 to {}", count_max)));
}

Result<std::vector<std::string>> field_names(std::string_view text, std::span<const std::string_view> known) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view name = text.substr(begin, end - begin);
    if (std::ranges::find(known, name) == known.end()) {
      return std::unexpected(
          usage_error(fmt::format("--json: unknown field {}", carillon::quoted(name)), advice(name, known)));
    }
    names.emplace_back(name);
    begin = end + 1;
  }
  return names;
}

Result<std::optional<Duration>> timeout_value(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  if (const auto duration = parse_duration(*text)) return *duration;
  return std::unexpected(usage_error(fmt::format("--timeout: invalid duration {}", carillon::quoted(*text)),
                                     "give a duration, for example 30s or 10m"));
}

Result<ZonePtr> zone_value(std::string_view flag, std::string_view name, ZoneSource& zones) {
  auto zone = zones.zone(name);
  if (zone) return zone;
  Error error = shown_in(std::move(zone).error(), name);
  error.message = fmt::format("{}: {}", flag, error.message);
  return std::unexpected(std::move(error));
}

}  // namespace carillon::cli
