#pragma once

#include "base/instant.hpp"
#include "base/loop_monitor.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carillon::rest {

/// How the server is asked about itself.
struct Probes {
  std::function<std::vector<LoopMonitor::State>()> stalled{};  // threads that stand still
  std::function<std::optional<std::string>()> unreadiness{};   // why it cannot do its work, if it cannot; for anybody
  std::function<std::string()> metrics{};                      // Prometheus text
  std::string version{};
  std::int64_t pid = 0;  // of its process; 0: not told
  std::optional<Instant> started_at = {};
};

/// The description of the API, as it is served.
[[nodiscard]] std::string_view openapi_text();

}  // namespace carillon::rest
