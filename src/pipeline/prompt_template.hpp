#pragma once

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

/// A value as it stands in a prompt: text as it is, null as nothing, numbers as JavaScript writes them, maps and lists
/// as compact JSON.
[[nodiscard]] std::string prompt_text(const boost::json::value& value);

/// JSON with an indent of two, as JavaScript writes it.
[[nodiscard]] std::string indented(const boost::json::value& value);

}  // namespace carillon::pipeline
