#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace carillon::rest {

/// How the server is asked about itself.
struct Probes {
  std::function<bool()> is_alive{};                           // the loop has ticked lately
  std::function<std::optional<std::string>()> unreadiness{};  // why it cannot do its work, if it cannot
  std::function<std::string()> metrics{};                     // Prometheus text
  std::string version{};
};

/// The description of the API, as it is served.
[[nodiscard]] std::string_view openapi_text();

}  // namespace carillon::rest
