#pragma once

#include "definitions/action.hpp"
#include "engine/attempt_end.hpp"
#include "grpc_wire/status.hpp"
#include "ports/executor.hpp"

#include <temporal/errordetails.pb.h>
#include <temporal/workflowcalls.pb.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

// What is said to a Temporal cluster, and what its answers mean. Pure.

namespace carillon::workflows {

namespace common_pb = ::temporal::api::common::v1;
namespace enums_pb = ::temporal::api::enums::v1;
namespace errors_pb = ::temporal::api::errordetails::v1;
namespace history_pb = ::temporal::api::history::v1;
namespace service_pb = ::temporal::api::workflowservice::v1;
namespace workflow_pb = ::temporal::api::workflow::v1;

/// The member of a workflow's memo that names the attempt which started it.
inline constexpr std::string_view memo_key = "carillonRun";

/// Who asks whom.
struct CallContext {
  std::string name_space;  // of the cluster
  std::string identity;    // `carillon:host`
  std::string web{};       // where people look at workflows; empty: not known
  /// Where the cluster tells that a workflow has ended; empty: nowhere.
  std::string callback_url{};
  /// What such a call proves itself with, made from the name of the attempt.
  std::function<std::string(std::string_view attempt)> callback_key{};
};

/// Where people look at a workflow; empty if that is not known.
[[nodiscard]] std::string web_address(const CallContext& context, std::string_view workflow_id,
                                      std::string_view run_id);

/// How one attempt is known to the cluster: under which id its workflow goes, and by which request it is started. The
/// same for every try of the attempt, also by another server, so that it is started once.
struct StartName {
  std::string workflow_id;
  std::string request_id;
};
[[nodiscard]] StartName start_name_of(const WorkflowAction& action, const Envelope& envelope);

[[nodiscard]] service_pb::StartWorkflowExecutionRequest start_request(const WorkflowAction& action,
                                                                      const Envelope& envelope,
                                                                      const CallContext& context);

/// Has the cluster call back when the workflow, with its whole chain, has ended.
void ask_for_callback(service_pb::StartWorkflowExecutionRequest& request, const AttemptKey& key,
                      const CallContext& context);

/// `17/1`: an attempt as such a call names it.
[[nodiscard]] std::string attempt_text(const AttemptKey& key);
[[nodiscard]] std::optional<AttemptKey> attempt_of(std::string_view text);

/// Whether a workflow was started by this request, as its memo says. Chains of retries and new runs keep it.
[[nodiscard]] bool is_started_by(const workflow_pb::WorkflowExecutionInfo& info, const std::string& request_id);

/// What the error of a start says about the workflow that is in its way; empty members if it says nothing.
[[nodiscard]] errors_pb::WorkflowExecutionAlreadyStartedFailure already_started(const grpc::Status& status);

/// Whether the same call may succeed later: the cluster is busy, restarting or not to be reached.
[[nodiscard]] bool is_passing(grpc::StatusCode code);

/// `NOT_FOUND: Namespace x is not found.`
[[nodiscard]] std::string to_text(const grpc::Status& status);

/// A workflow goes on under another run id: it is retried, or has continued as new.
struct NextRun {
  std::string run_id;
};
/// What the event that closed a workflow means to its attempt. `was_asked`: somebody here wanted it to end.
[[nodiscard]] std::variant<NextRun, AttemptEnd> meaning_of(const history_pb::HistoryEvent& close, bool was_asked);

/// A payload as the JSON text that is kept of it: what it holds if that is JSON, else its metadata and bytes.
[[nodiscard]] std::string json_text(const common_pb::Payload& payload);
/// The payload of such a text.
[[nodiscard]] common_pb::Payload payload_of(std::string_view text);

}  // namespace carillon::workflows
