#pragma once

#include <boost/json/object.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace carillon::pipeline {

// What `compat: lenient` adds to the reading of answers.

/// A text as what it seems to be: yes and no become booleans, none and n/a null, digits a number ("0012" is 12). Other
/// values stay.
[[nodiscard]] boost::json::value converted(const boost::json::value& value);

/// Guesses the fields from sentences such as "the severity is high". None if no field is found.
[[nodiscard]] std::optional<boost::json::object> fields_in_prose(std::string_view answer,
                                                                 std::span<const std::string> fields);

}  // namespace carillon::pipeline
