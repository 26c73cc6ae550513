#pragma once

#include "api/temporal/description_cache.hpp"
#include "api/temporal/errors.hpp"
#include "api/temporal/settings.hpp"
#include "service/application.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace carillon::temporal {

/// One call that has found its method, and whose caller is known and allowed.
struct MethodCall {
  Application& application;
  const Settings& settings;
  DescriptionCache& descriptions;
  Caller caller;
  std::string_view message;              // of the request, serialised
  std::function<bool()> is_awaited{};    // whether anybody still waits for the answer
  std::optional<Instant> valid_until{};  // set by a method whose answer may be given again until then
  std::function<bool()> is_serving{};    // whether the server is not stopping

  /// Runs a use case of the application; what it refuses gets into the audit log and is told as a status.
  template <typename Work>
  [[nodiscard]] auto perform(OperationId operation, const Work& work) {
    return told(application.perform(caller, operation_of(operation), work));
  }
};

/// Answers a call with the serialised response.
using Method = Outcome<std::string> (*)(MethodCall& call);

// schedule_methods.cpp
[[nodiscard]] Outcome<std::string> create_schedule(MethodCall& call);
[[nodiscard]] Outcome<std::string> describe_schedule(MethodCall& call);
[[nodiscard]] Outcome<std::string> update_schedule(MethodCall& call);
[[nodiscard]] Outcome<std::string> patch_schedule(MethodCall& call);
[[nodiscard]] Outcome<std::string> delete_schedule(MethodCall& call);
[[nodiscard]] Outcome<std::string> list_matching_times(MethodCall& call);

// list_methods.cpp
[[nodiscard]] Outcome<std::string> list_schedules(MethodCall& call);
[[nodiscard]] Outcome<std::string> count_schedules(MethodCall& call);

// system_methods.cpp
[[nodiscard]] Outcome<std::string> get_system_info(MethodCall& call);
[[nodiscard]] Outcome<std::string> get_cluster_info(MethodCall& call);
[[nodiscard]] Outcome<std::string> describe_namespace(MethodCall& call);
[[nodiscard]] Outcome<std::string> list_namespaces(MethodCall& call);
[[nodiscard]] Outcome<std::string> list_search_attributes(MethodCall& call);
[[nodiscard]] Outcome<std::string> check_health(MethodCall& call);

/// Refuses a namespace that does not exist for the caller.
[[nodiscard]] Outcome<> check_namespace(const MethodCall& call, const std::string& name);

template <typename Request>
[[nodiscard]] Outcome<Request> request_of(const MethodCall& call) {
  Request request;
  if (!request.ParseFromArray(call.message.data(), static_cast<int>(call.message.size())))
    return failed(grpc::StatusCode::internal, "grpc: the message cannot be read");
  return request;
}

}  // namespace carillon::temporal
