#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace carillon {

/// Whether a workflow id may be used again after a workflow of that id has ended.
enum class WorkflowIdReuse { allow_duplicate, allow_duplicate_failed_only, reject_duplicate };
inline constexpr std::array<std::string_view, 3> workflow_id_reuse_words{
    "allow_duplicate", "allow_duplicate_failed_only", "reject_duplicate"};

/// How the cluster retries a workflow that fails. What is left out is the cluster's default.
struct WorkflowRetry {
  std::int64_t attempt_count_max = 0;  // 0 = no limit
  std::optional<Duration> initial;
  std::optional<double> factor;
  std::optional<Duration> delay_max;
  std::vector<std::string> non_retryable;  // types of errors
  friend bool operator==(const WorkflowRetry&, const WorkflowRetry&) = default;
};

/// A workflow on a Temporal cluster.
struct WorkflowAction {
  std::string type;
  std::string task_queue;
  std::optional<std::string> id;            // see workflow_id_of
  std::optional<boost::json::array> input;  // its arguments; none: those of `message`, else none
  std::optional<Duration> execution_timeout;
  std::optional<Duration> run_timeout;
  std::optional<Duration> task_timeout;
  std::optional<WorkflowRetry> retry;
  boost::json::object memo;
  boost::json::object search_attributes;
  WorkflowIdReuse id_reuse = WorkflowIdReuse::allow_duplicate;
  std::optional<std::string> cluster;  // by its name in the settings; none: the server's only one, or `default`
  /// What a client of Temporal defined, as base64 of the message NewWorkflowExecutionInfo: a start has everything of it
  /// that the members above do not say. Empty: nobody did.
  std::string message;
  friend bool operator==(const WorkflowAction&, const WorkflowAction&) = default;
};

/// The cluster that a workflow goes to: the one it names, the only one, or `default`. None: there is no such one.
[[nodiscard]] std::optional<std::string> cluster_of(const WorkflowAction& action,
                                                    std::span<const std::string> clusters);
/// The same as a fault, for those who define it.
[[nodiscard]] std::optional<Error> cluster_fault(const WorkflowAction& action, std::span<const std::string> clusters);

}  // namespace carillon
