#include "definitions/policy_findings.hpp"

#include "base/duration_text.hpp"

#include <fmt/format.h>

namespace carillon {
namespace {

Finding too_short(std::string_view member, Duration length) {
  return {.code = "short-grace",
          .severity = Severity::warning,
          .message =
              fmt::format("catchup.{} {} is raised to {}: with less, occurrences could be missed in normal operation",
                          member, to_text(length), to_text(catchup_lateness_min)),
          .fix = fmt::format("write {} or more", to_text(catchup_lateness_min)),
          .at = {},
          .pointer = fmt::format("/policies/catchup/{}", member)};
}

}  // namespace

std::vector<Finding> policy_findings(const Policies& policies) {
  std::vector<Finding> findings;
  const Policies::Catchup& catchup = policies.catchup;
  if (catchup.window && *catchup.window < catchup_lateness_min)
    findings.push_back(too_short("window", *catchup.window));
  if (catchup.grace < catchup_lateness_min) findings.push_back(too_short("grace", catchup.grace));
  return findings;
}

}  // namespace carillon
