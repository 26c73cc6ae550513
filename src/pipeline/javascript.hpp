#pragma once

#include <boost/json/value.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace carillon::pipeline {

// Conversions as JavaScript makes them: pipelines were written for an executor in that language, and what their filters
// and prompts mean depends on them. All of them take well-formed UTF-8.

/// `String(number)`: the shortest digits that read back as the same number; exponents from 1e21 and below 1e-6.
[[nodiscard]] std::string number_text(double number);
/// `String(value)`: lists are joined by commas, maps are `[object Object]`.
[[nodiscard]] std::string string_of(const boost::json::value& value);
/// `Number(value)`: not-a-number for what is none; an empty text is 0.
[[nodiscard]] double number_of(const boost::json::value& value);
/// `a === b`: no conversion; lists and maps equal nothing.
[[nodiscard]] bool are_identical(const boost::json::value& a, const boost::json::value& b);
/// Whether it counts as given: null, false, 0 and an empty text do not, empty lists and maps do.
[[nodiscard]] bool is_truthy(const boost::json::value* value);

/// Without white space at both ends; a byte order mark is white space too.
[[nodiscard]] std::string_view trimmed(std::string_view text);
/// All letters in lower case, also those beyond ASCII.
[[nodiscard]] std::string lower_case(std::string_view text);
/// The first `count` characters.
[[nodiscard]] std::string_view first_characters(std::string_view text, std::size_t count);
/// The same text with U+FFFD in place of bytes that are no UTF-8.
[[nodiscard]] std::string well_formed(std::string_view text);

}  // namespace carillon::pipeline
