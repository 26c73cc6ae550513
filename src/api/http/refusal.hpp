#pragma once

#include "api/http/message.hpp"

#include <string_view>

namespace carillon::http {

/// Why a request is not handed to the handler.
struct Refusal {
  int status;
  std::string_view detail;  // a literal: nothing the client sent is sent back
};

/// The refusal as an RFC 9457 problem: what a server says that was not told how.
[[nodiscard]] Response problem_of(int status, std::string_view detail);

}  // namespace carillon::http
