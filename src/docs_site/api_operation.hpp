#pragma once

#include <boost/json/value.hpp>

#include <string>
#include <string_view>

namespace carillon::docs_site {

/// One thing that can be asked of the server, as the description has it.
struct ApiOperation {
  std::string_view method;  // `get`
  std::string_view path;
  const boost::json::value* node = nullptr;
};

[[nodiscard]] std::string_view id_of(const ApiOperation& operation);
/// `GET`
[[nodiscard]] std::string method_of(const ApiOperation& operation);

/// The command that asks for it, with the examples of the description in place of parameters and body.
[[nodiscard]] std::string curl_line(const boost::json::value& root, const ApiOperation& operation);

/// All there is to know of it, below a heading of its own.
[[nodiscard]] std::string operation_html(const boost::json::value& root, const ApiOperation& operation);

/// JSON over several lines.
[[nodiscard]] std::string indented_json(const boost::json::value& value, std::size_t depth = 0);

}  // namespace carillon::docs_site
