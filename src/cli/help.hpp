#pragma once

#include <string>
#include <string_view>

namespace carillon {

/// What `carillon` alone says: what it is, three things to try, where help is.
[[nodiscard]] std::string welcome_text();

/// All commands and topics.
[[nodiscard]] std::string overview_text();

}  // namespace carillon
