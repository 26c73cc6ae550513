#include "definitions/workflow_action.hpp"

#include "base/quoted.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace carillon {

std::optional<std::string> cluster_of(const WorkflowAction& action, std::span<const std::string> clusters) {
  if (!action.cluster && clusters.size() == 1) return clusters.front();
  const std::string name = action.cluster.value_or("default");
  return std::ranges::find(clusters, name) == clusters.end() ? std::nullopt : std::optional{name};
}

std::optional<Error> cluster_fault(const WorkflowAction& action, std::span<const std::string> clusters) {
  if (cluster_of(action, clusters)) return std::nullopt;
  Error error =
      clusters.empty()
          ? fail(ErrorCode::invalid_argument, "this server has no Temporal cluster to start workflows on").error()
          : fail(ErrorCode::invalid_argument, "this server has no Temporal cluster {}",
                 quoted(action.cluster.value_or("default")))
                .error();
  error.hint = clusters.empty()
                   ? "start it with --temporal FILE, and write clusters: {default: {address: HOST:7233}} there"
                   : fmt::format("write cluster: with one of: {}", fmt::join(clusters, ", "));
  error.rule = "unavailable";
  return error;
}

}  // namespace carillon
