#pragma once

#include "pipeline/json_text.hpp"

#include <boost/json/value.hpp>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carillon::pipeline {

/// What a placeholder stands for; none: it is not known.
using Lookup = std::function<std::optional<std::string>(std::string_view name)>;

enum class Unknown { becomes_empty, stays };

/// Replaces each `{{name}}` (letters, digits, underscores; no spaces) by what it stands for, in one pass: text that was
/// inserted is never read again.
[[nodiscard]] std::string fill(std::string_view text, const Lookup& lookup, Unknown unknown);

/// The names of all placeholders, each once, in their order.
[[nodiscard]] std::vector<std::string> placeholders(std::string_view text);

/// ITEMS, RESULTS, RESULTS_FILE, COUNT, SUCCESS_COUNT and FAILURE_COUNT: no field of an item has to have these names.
[[nodiscard]] bool is_special(std::string_view name);

/// A value as it stands in a prompt: text as it is, null as nothing, numbers as JavaScript writes them, maps and lists
/// as compact JSON.
[[nodiscard]] std::string prompt_text(const boost::json::value& value);

}  // namespace carillon::pipeline
