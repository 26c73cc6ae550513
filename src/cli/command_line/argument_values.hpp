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

/// The value of `--timeout`; none: it was not given.
[[nodiscard]] Result<std::optional<Duration>> timeout_value(const std::optional<std::string>& text);

/// The zone a flag names.
[[nodiscard]] Result<ZonePtr> zone_value(std::string_view flag, std::string_view name, ZoneSource& zones);

}  // namespace carillon::cli
