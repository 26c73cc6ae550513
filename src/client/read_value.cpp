#include "client/document_reader.hpp"

#include <fmt/format.h>

#include <cmath>

namespace carillon::client {

namespace {

DocumentFault wrong_kind(const boost::json::value& value, std::string_view expected) {
  return {.pointer = {}, .expected = expected, .found = kind_of(value)};
}

}  // namespace

std::string_view kind_of(const boost::json::value& value) {
  switch (value.kind()) {
    case boost::json::kind::null: return "null";
    case boost::json::kind::bool_: return "true or false";
    case boost::json::kind::int64:
    case boost::json::kind::uint64:
    case boost::json::kind::double_: return "a number";
    case boost::json::kind::string: return "a text";
    case boost::json::kind::array: return "a list";
    case boost::json::kind::object: return "an object";
  }
  std::unreachable();
}

Reading read_value(const boost::json::value& value, std::string& target) {
  const auto* text = value.if_string();
  if (text == nullptr) return wrong_kind(value, "a text");
  target = *text;
  return std::nullopt;
}

Reading read_value(const boost::json::value& value, std::int64_t& target) {
  boost::system::error_code error;
  target = value.is_number() ? value.to_number<std::int64_t>(error) : 0;
  if (!value.is_number() || error) return wrong_kind(value, "a whole number");
  return std::nullopt;
}

Reading read_value(const boost::json::value& value, bool& target) {
  if (!value.is_bool()) return wrong_kind(value, "true or false");
  target = value.get_bool();
  return std::nullopt;
}

Reading read_value(const boost::json::value& value, Instant& target) {
  const auto* text = value.if_string();
  const auto instant = text == nullptr ? std::nullopt : std::optional{parse_instant(*text)};
  if (!instant || !*instant) return wrong_kind(value, "a time");
  target = **instant;
  return std::nullopt;
}

Reading read_value(const boost::json::value& value, boost::json::value& target) {
  target = value;
  return std::nullopt;
}

Error to_error(const DocumentFault& fault) {
  return {.code = ErrorCode::corrupt,
          .message = fault.found == "nothing" ? fmt::format("the answer of the server has no {}", fault.pointer)
                                              : fmt::format("in the answer of the server {} is {} instead of {}",
                                                            fault.pointer.empty() ? "all of it" : fault.pointer,
                                                            fault.found, fault.expected),
          .hint = "carillon version and carillon system tell whether server and command line are of one release",
          .rule = "unexpected-answer",
          .position = {},
          .context = {}};
}

}  // namespace carillon::client
