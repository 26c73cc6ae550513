#pragma once

#include "api/http/message.hpp"

#include <string>

namespace carillon::rest {

/// What a route answers.
struct Reply {
  int status = 200;
  std::string body{};  // JSON, unless the headers say otherwise
  http::HeaderList headers{};
};

/// With the headers that every answer has.
[[nodiscard]] http::Response response_of(Reply reply);

/// A client that has the answer already (`If-None-Match`) is told only that.
[[nodiscard]] Reply unless_known(Reply reply, const http::Request& request);

}  // namespace carillon::rest
