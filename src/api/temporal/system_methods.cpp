#include "api/temporal/method_call.hpp"
#include "base/crypto.hpp"

#include <temporal/health.pb.h>
#include <temporal/operatorservice.pb.h>

#include <algorithm>
#include <array>
#include <string>

namespace carillon::temporal {
namespace {

namespace health_pb = ::grpc::health::v1;
namespace operator_pb = ::temporal::api::operatorservice::v1;
namespace namespaces_pb = ::temporal::api::namespaces::v1;

constexpr std::string_view cluster_name = "carillon";
constexpr std::int64_t blob_size_limit = 1024 * 1024;
constexpr std::int64_t retention_seconds = 30LL * 86'400;

/// The same for a name on every server: a UUID of the kind that is left to programs (version 8).
std::string uuid_of(std::string_view name) {
  std::string digits = sha256_hex(fmt::format("carillon namespace\n{}", name)).substr(0, 32);
  digits[12] = '8';
  digits[16] = 'a';
  for (const std::size_t place : {20U, 16U, 12U, 8U}) digits.insert(place, 1, '-');
  return digits;
}

bool is_known(const MethodCall& call, const std::string& name) {
  const bool is_declared = std::ranges::find(call.settings.namespaces, name) != call.settings.namespaces.end();
  return is_declared && (!call.caller.name_space || call.caller.name_space->text() == name);
}

service_pb::DescribeNamespaceResponse description_of(const std::string& name) {
  service_pb::DescribeNamespaceResponse response;
  namespaces_pb::NamespaceInfo& info = *response.mutable_namespace_info();
  info.set_name(name);
  info.set_state(enums_pb::NAMESPACE_STATE_REGISTERED);
  info.set_id(uuid_of(name));
  info.set_supports_schedules(true);
  info.mutable_capabilities();
  info.mutable_limits()->set_blob_size_limit_error(blob_size_limit);
  info.mutable_limits()->set_memo_size_limit_error(blob_size_limit);
  response.mutable_config()->mutable_workflow_execution_retention_ttl()->set_seconds(retention_seconds);
  response.mutable_config()->set_history_archival_state(enums_pb::ARCHIVAL_STATE_DISABLED);
  response.mutable_config()->set_visibility_archival_state(enums_pb::ARCHIVAL_STATE_DISABLED);
  response.mutable_replication_config()->set_active_cluster_name(std::string{cluster_name});
  response.mutable_replication_config()->add_clusters()->set_cluster_name(std::string{cluster_name});
  return response;
}

}  // namespace

Outcome<> check_namespace(const MethodCall& call, const std::string& name) {
  if (name.empty()) return invalid("Namespace is empty.");
  if (!is_known(call, name)) return no_such_namespace(name);
  return {};
}

Outcome<std::string> get_system_info(MethodCall& call) {
  service_pb::GetSystemInfoResponse response;
  response.set_server_version(call.settings.server_version);
  // Clients then do not repeat what has failed inside.
  response.mutable_capabilities()->set_internal_error_differentiation(true);
  response.mutable_capabilities()->set_supports_schedules(true);
  return response.SerializeAsString();
}

Outcome<std::string> get_cluster_info(MethodCall& call) {
  service_pb::GetClusterInfoResponse response;
  constexpr std::array<std::string_view, 6> clients{"temporal-go",         "temporal-java", "temporal-python",
                                                    "temporal-typescript", "temporal-cli",  "temporal-server"};
  for (const std::string_view client : clients) (*response.mutable_supported_clients())[std::string{client}] = "<2.0.0";
  (*response.mutable_supported_clients())["temporal-ui"] = "<3.0.0";
  response.set_server_version(call.settings.server_version);
  response.set_cluster_id(uuid_of("cluster"));
  response.set_cluster_name(std::string{cluster_name});
  response.set_history_shard_count(1);
  response.set_persistence_store(fmt::format("carillon {}", call.settings.carillon_version));
  response.set_visibility_store("carillon");
  return response.SerializeAsString();
}

Outcome<std::string> describe_namespace(MethodCall& call) {
  const auto request = TRY(request_of<service_pb::DescribeNamespaceRequest>(call));
  std::string name = request.namespace_();
  if (name.empty() && request.id().empty()) return invalid("Namespace not set on request.");
  if (name.empty()) {
    const auto found = std::ranges::find(call.settings.namespaces, request.id(), uuid_of);
    if (found == call.settings.namespaces.end()) return no_such_namespace(request.id());
    name = *found;
  }
  if (!is_known(call, name)) return no_such_namespace(name);
  return description_of(name).SerializeAsString();
}

Outcome<std::string> list_namespaces(MethodCall& call) {
  service_pb::ListNamespacesResponse response;
  for (const std::string& name : call.settings.namespaces)
    if (is_known(call, name)) *response.add_namespaces() = description_of(name);
  return response.SerializeAsString();
}

Outcome<std::string> list_search_attributes(MethodCall& call) {
  const auto request = TRY(request_of<operator_pb::ListSearchAttributesRequest>(call));
  // Operators may ask without one.
  if (!request.namespace_().empty()) TRY(check_namespace(call, request.namespace_()));
  operator_pb::ListSearchAttributesResponse response;
  for (const auto& [name, type] : call.settings.search_attributes) (*response.mutable_custom_attributes())[name] = type;
  (*response.mutable_system_attributes())["ScheduleId"] = enums_pb::INDEXED_VALUE_TYPE_KEYWORD;
  (*response.mutable_system_attributes())["TemporalSchedulePaused"] = enums_pb::INDEXED_VALUE_TYPE_BOOL;
  return response.SerializeAsString();
}

Outcome<std::string> check_health(MethodCall& call) {
  const auto request = TRY(request_of<health_pb::HealthCheckRequest>(call));
  constexpr std::array<std::string_view, 3> services{"", "temporal.api.workflowservice.v1.WorkflowService",
                                                     "temporal.api.operatorservice.v1.OperatorService"};
  if (std::ranges::find(services, request.service()) == services.end())
    return failed(grpc::StatusCode::not_found, "unknown service");
  health_pb::HealthCheckResponse response;
  response.set_status(call.is_serving() ? health_pb::HealthCheckResponse::SERVING
                                        : health_pb::HealthCheckResponse::NOT_SERVING);
  return response.SerializeAsString();
}

}  // namespace carillon::temporal
