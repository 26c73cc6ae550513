#pragma once

#include "api/temporal/errors.hpp"
#include "api/temporal/messages.hpp"
#include "api/temporal/settings.hpp"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace carillon::temporal {

/// What a payload holds, if it is JSON or nothing at all.
[[nodiscard]] std::optional<boost::json::value> json_in(const common_pb::Payload& payload);
/// The same for every payload: what is no JSON is `{encoding, data}` with its bytes as base64.
[[nodiscard]] boost::json::value shown(const common_pb::Payload& payload);
[[nodiscard]] boost::json::array shown(const common_pb::Payloads& payloads);
[[nodiscard]] common_pb::Payload json_payload(const boost::json::value& value);

/// The attributes as they are kept: each declared, of its type, and saying so. Refused in Temporal's words.
[[nodiscard]] Outcome<common_pb::SearchAttributes> checked_attributes(const common_pb::SearchAttributes& attributes,
                                                                      const Settings& settings,
                                                                      std::string_view name_space);

[[nodiscard]] std::string to_base64(std::string_view bytes);
[[nodiscard]] std::optional<std::string> from_base64(std::string_view text);

}  // namespace carillon::temporal
