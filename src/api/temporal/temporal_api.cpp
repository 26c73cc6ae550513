#include "api/temporal/temporal_api.hpp"

#include "api/temporal/errors.hpp"
#include "api/temporal/messages.hpp"
#include "api/temporal/method_call.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <optional>
#include <string>
#include <utility>

namespace carillon::temporal {
namespace {

/// Larger answers are seldom asked for, and would take the memory of many.
constexpr std::size_t kept_size_max = 16 * 1024;

std::string_view bearer_in(const std::string& header) {
  constexpr std::string_view scheme = "Bearer ";
  // Some clients write it in lower case.
  const bool is_bearer =
      header.size() > scheme.size() && std::ranges::equal(header.substr(0, scheme.size()), scheme, [](char a, char b) {
        return a == b || (a >= 'a' && a <= 'z' && a - 'a' + 'A' == b);
      });
  return is_bearer ? std::string_view{header}.substr(scheme.size()) : std::string_view{};
}

Credentials credentials_of(const grpc::Call& call) {
  return {.token = bearer_in(call.authorization), .address = call.peer_address};
}

/// With a text that clients look for.
grpc::Status unknown_method(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  const std::string_view method = slash == std::string_view::npos ? path : path.substr(slash + 1);
  const std::string_view service = slash == std::string_view::npos || slash == 0 ? "" : path.substr(1, slash - 1);
  return {.code = grpc::StatusCode::unimplemented,
          .message = fmt::format("unknown method {} for service {}", method, service)};
}

TaskThreads::OnFailure call_failure_log(Log& log) {
  return [&log](std::string_view what) { log.error("call failed", {{"error", what}}); };
}

/// Callers who know other namespaces are told other things.
std::string key_of_answer(const Caller& caller, const grpc::Call& call) {
  return (caller.name_space ? caller.name_space->text() : std::string{"*"}) + "\n" + call.message;
}

bool is_late(const grpc::Call& call) { return call.deadline && *call.deadline <= std::chrono::steady_clock::now(); }

}  // namespace

struct TemporalApi::Route {
  std::string_view path;
  OperationId operation;  // whose scope its caller needs
  Method method;
  bool is_quick = false;  // does not wait for the store
};

struct TemporalApi::Pending {
  grpc::Call call;
  grpc::Replier replier;
  const Route* route;
  Caller caller{};
};

const TemporalApi::Route* TemporalApi::route_of(std::string_view path) {
#define WORKFLOW_SERVICE "/temporal.api.workflowservice.v1.WorkflowService/"
  static constexpr std::array<Route, 14> routes{{
      {WORKFLOW_SERVICE "GetSystemInfo", OperationId::get_version, get_system_info, true},
      {WORKFLOW_SERVICE "GetClusterInfo", OperationId::get_version, get_cluster_info, true},
      {WORKFLOW_SERVICE "DescribeNamespace", OperationId::get_version, describe_namespace, true},
      {WORKFLOW_SERVICE "ListNamespaces", OperationId::get_version, list_namespaces, true},
      {WORKFLOW_SERVICE "CreateSchedule", OperationId::create_schedule, create_schedule},
      {WORKFLOW_SERVICE "DescribeSchedule", OperationId::get_schedule, describe_schedule},
      {WORKFLOW_SERVICE "UpdateSchedule", OperationId::put_schedule, update_schedule},
      {WORKFLOW_SERVICE "PatchSchedule", OperationId::trigger_schedule, patch_schedule},
      {WORKFLOW_SERVICE "ListScheduleMatchingTimes", OperationId::list_next_runs, list_matching_times},
      {WORKFLOW_SERVICE "DeleteSchedule", OperationId::delete_schedule, delete_schedule},
      {WORKFLOW_SERVICE "ListSchedules", OperationId::list_schedules, list_schedules},
      {WORKFLOW_SERVICE "CountSchedules", OperationId::list_schedules, count_schedules},
      {"/temporal.api.operatorservice.v1.OperatorService/ListSearchAttributes", OperationId::get_version,
       list_search_attributes, true},
      {"/grpc.health.v1.Health/Check", OperationId::get_livez, check_health, true},
  }};
#undef WORKFLOW_SERVICE
  const auto found = std::ranges::find(routes, path, &Route::path);
  return found == routes.end() ? nullptr : &*found;
}

TemporalApi::TemporalApi(Application& application, TemporalOptions options, Log& log)
    : application_{application},
      options_{std::move(options)},
      log_{log},
      gate_{1, options_.waiting_max, call_failure_log(log), options_.loops, "grpc-gate"},
      readers_{options_.reader_count, options_.waiting_max, call_failure_log(log), options_.loops, "grpc-readers"},
      writers_{options_.writer_count, options_.waiting_max, call_failure_log(log), options_.loops, "grpc-writers"},
      changes_{application.notifier().subscribe([this](const StoreChange& change) {
        if (change.has_events) answers_.forget_all();
      })} {
  silence_message_library();
}

TemporalApi::~TemporalApi() { stop(); }

void TemporalApi::stop() {
  gate_.stop();
  readers_.stop();
  writers_.stop();
}

grpc::Status TemporalApi::admit(const grpc::Call& head) {
  const Route* route = route_of(head.path);
  if (route == nullptr) return unknown_method(head.path);
  const auto known = application_.admit_known(credentials_of(head), operation_of(route->operation));
  // Who is not in memory may be known to the store, which is asked when the message has come.
  if (known && !*known) return status_of(known->error());
  return {};
}

void TemporalApi::handle(grpc::Call call, grpc::Replier replier) {
  const Route* route = route_of(call.path);
  if (route == nullptr) return replier.send({.status = unknown_method(call.path)});
  const auto pending =
      std::make_shared<Pending>(Pending{.call = std::move(call), .replier = std::move(replier), .route = route});
  const Operation& operation = operation_of(route->operation);
  if (auto known = application_.admit_known(credentials_of(pending->call), operation))
    return start(pending, *std::move(known));
  dispatch(gate_, pending, [this, pending, &operation] {
    start(pending, application_.admit(credentials_of(pending->call), operation));
  });
}

void TemporalApi::start(const std::shared_ptr<Pending>& pending, Served<Caller> caller) {
  if (!caller) return pending->replier.send({.status = status_of(caller.error())});
  pending->caller = *std::move(caller);
  if (auto status = grpc::unpack(pending->call); !status.is_ok())
    return pending->replier.send({.status = std::move(status)});
  const auto reply = [this, pending] { pending->replier.send(answer(*pending)); };
  if (pending->route->is_quick) return reply();
  if (auto kept = kept_answer(*pending)) return pending->replier.send(*std::move(kept));
  const Operation& operation = operation_of(pending->route->operation);
  dispatch(operation.is_write ? writers_ : readers_, pending, reply);
}

// A task that throws is answered too; one that finds no room is not begun.
void TemporalApi::dispatch(TaskThreads& threads, const std::shared_ptr<Pending>& pending, std::function<void()> work) {
  const bool is_taken = threads.post([this, pending, work = std::move(work)] {
    try {
      work();
    } catch (const std::exception& exception) {
      log_.error("call failed", {{"method", pending->call.path}, {"error", exception.what()}});
      if (pending->replier.is_open())
        pending->replier.send({.status = {.code = grpc::StatusCode::internal, .message = "see the server's log"}});
    }
  });
  if (!is_taken)
    pending->replier.send({.status = {.code = grpc::StatusCode::resource_exhausted,
                                      .message = "too many calls are waiting; try again in a moment"}});
}

std::optional<grpc::Answer> TemporalApi::kept_answer(const Pending& pending) {
  if (pending.route->operation != OperationId::get_schedule) return std::nullopt;
  const auto kept = answers_.find(key_of_answer(pending.caller, pending.call), application_.clock().since_boot());
  if (!kept) return std::nullopt;
  return grpc::Answer{.message = kept->body};
}

void TemporalApi::keep_answer(const Pending& pending, std::uint64_t epoch, Instant until, const std::string& response) {
  if (response.size() + pending.call.message.size() > kept_size_max) return;
  const Duration lasts = std::clamp(until - application_.clock().now(), Duration{0}, AnswerCache::age_max);
  answers_.keep(key_of_answer(pending.caller, pending.call), epoch, application_.clock().since_boot() + lasts,
                {.body = response});
}

grpc::Answer TemporalApi::answer(Pending& pending) {
  // Nobody waits any more: what was not begun is left undone.
  if (!pending.replier.is_open() || is_late(pending.call))
    return {.status = {.code = grpc::StatusCode::deadline_exceeded, .message = "the time for the call was over"}};
  MethodCall call{.application = application_,
                  .settings = options_.settings,
                  .descriptions = descriptions_,
                  .caller = pending.caller,
                  .message = pending.call.message,
                  .is_awaited = [&pending] { return pending.replier.is_open() && !is_late(pending.call); },
                  .is_serving = [this] { return !options_.is_serving || options_.is_serving(); }};
  const std::uint64_t epoch = answers_.epoch();
  Outcome<std::string> response = pending.route->method(call);
  // A client that is told that a change was made must not be shown what was before it.
  if (operation_of(pending.route->operation).is_write) answers_.forget_all();
  if (response && call.valid_until) keep_answer(pending, epoch, *call.valid_until, *response);
  if (response) return {.message = *std::move(response)};
  if (response.error().code == grpc::StatusCode::internal)
    log_.warn("call cannot be answered", {{"method", pending.call.path}, {"error", response.error().message}});
  return {.status = std::move(response).error()};
}

}  // namespace carillon::temporal
