#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "calendar/zone.hpp"
#include "cli/terminal/paint.hpp"
#include "ports/zone_source.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace carillon::cli {

enum class Format { table, wide, json, jsonl, yaml, csv };

[[nodiscard]] std::string_view format_name(Format format);

/// The value of `--output`, if the command has that form; `text` is another word for table. Left out: table.
[[nodiscard]] Result<Format> output_format(const std::optional<std::string>& text, std::span<const Format> known);

[[nodiscard]] Result<ColourChoice> colour_choice(const std::optional<std::string>& text);

/// A whole number from 1 through `count_max`.
[[nodiscard]] Result<std::size_t> count_value(std::string_view flag, std::string_view text, std::size_t count_max);

/// The names in `a,b,c`, each one of the known.
[[nodiscard]] Result<std::vector<std::string>> field_names(std::string_view text,
                                                           std::span<const std::string_view> known);

/// A time: RFC 3339, or without offset as a wall clock in the zone shows it: `2027-03-14`, `2027-03-14 02:30`, `…:15`.
/// A skipped wall time is the end of the gap, a repeated one its first pass.
[[nodiscard]] Result<Instant> time_value(std::string_view flag, std::string_view text, const Zone& zone);

/// A time as above, `now`, or how long ago: `24h`.
[[nodiscard]] Result<Instant> since_value(std::string_view flag, std::string_view text, const Zone& zone, Instant now);

/// A time as above, `now`, or how long from now: `2h`.
[[nodiscard]] Result<Instant> until_value(std::string_view flag, std::string_view text, const Zone& zone, Instant now);

/// The zone a flag names.
[[nodiscard]] Result<ZonePtr> zone_value(std::string_view flag, std::string_view name, ZoneSource& zones);

}  // namespace carillon::cli
