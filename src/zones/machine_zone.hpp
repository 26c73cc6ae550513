#pragma once

#include <string>

namespace carillon {

/// The name of the zone this machine is set to: `variable` if it is not empty (the text of TZ, which may begin with a
/// colon), else what /etc/localtime links to, else UTC. It need not be a zone that schedules can have.
[[nodiscard]] std::string machine_zone_name(const std::string& variable);

}  // namespace carillon
