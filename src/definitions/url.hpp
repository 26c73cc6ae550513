#pragma once

#include "base/error.hpp"

#include <optional>
#include <string_view>

namespace carillon {

/// What is wrong with a text as the URL of a request, if anything: it must be http or https with a host, without user
/// information, spaces and control characters. Whether the host may be reached is decided when it is.
[[nodiscard]] std::optional<Error> check_url(std::string_view url);

}  // namespace carillon
