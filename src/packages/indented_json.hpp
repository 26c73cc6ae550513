#pragma once

#include "base/instant.hpp"

#include <boost/json/value.hpp>

#include <string>

namespace carillon::packages {

/// JSON with an indent of two, as JavaScript writes it: what programs leave beside people's files.
[[nodiscard]] std::string indented_json(const boost::json::value& value);

/// RFC 3339 in UTC, always with milliseconds: `2026-01-26T14:00:00.000Z`.
[[nodiscard]] std::string text_with_milliseconds(Instant time);

}  // namespace carillon::packages
