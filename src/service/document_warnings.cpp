#include "service/document_warnings.hpp"

#include "definitions/lint_action.hpp"
#include "definitions/policy_findings.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace carillon {

std::vector<Finding> spec_warnings(const Spec& spec, const ServiceParts& parts, Instant now) {
  const auto zone = parts.zones.zone(spec.timezone);
  if (!zone) return {};
  std::vector<Finding> findings = lint(spec, *zone, *parts.zones.names(), now);
  for (Finding& finding : findings) finding.pointer.insert(0, "/spec");
  return findings;
}

std::vector<Finding> document_warnings(const ScheduleDocument& document, const ServiceParts& parts, Instant now) {
  std::vector<Finding> findings = spec_warnings(document.spec, parts, now);
  for (Finding& finding : lint_action(document.action, parts.secret_refusal)) {
    finding.pointer.insert(0, "/action");
    findings.push_back(std::move(finding));
  }
  std::ranges::move(policy_findings(document.policies), std::back_inserter(findings));
  return findings;
}

}  // namespace carillon
