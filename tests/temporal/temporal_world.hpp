#pragma once

#include "api/temporal/messages.hpp"
#include "api/temporal/settings.hpp"
#include "api/temporal/temporal_api.hpp"
#include "base/assertion.hpp"
#include "base/blocking.hpp"
#include "document/document.hpp"
#include "scheduling/edition_context.hpp"
#include "scheduling/schedule_commands.hpp"
#include "scheduling/shared_definitions.hpp"
#include "service/application.hpp"
#include "stores/logs/file_log_store.hpp"
#include "stores/memory/memory_store.hpp"
#include "support/fixed_zone_source.hpp"
#include "support/manual_clock.hpp"
#include "support/temporary_folder.hpp"

#include <condition_variable>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace carillon::testing {

class QuietLog final : public Log {
 public:
  void write(LogLevel, std::string_view, std::initializer_list<LogField>) override {}
};

/// Waits for the answer to one call.
class WaitingSink final : public grpc::AnswerSink {
 public:
  void send(grpc::Answer answer) override {
    const std::scoped_lock lock{mutex_};
    answer_ = std::move(answer);
    changed_.notify_all();
  }
  [[nodiscard]] bool is_open() const override { return true; }
  grpc::Answer wait() {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [&] { return answer_.has_value(); });
    return *answer_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<grpc::Answer> answer_;  // guarded
};

/// The interface for clients of Temporal over a store in memory, without sockets.
class TemporalWorld {
 public:
  static temporal::Settings usual_settings() {
    const auto document = parse_json(R"({"searchAttributes": {"Team": "Keyword", "Level": "Int"},
                                         "workflows": {"*": {"job": {}}}})");
    return temporal::read_settings(*document).value();
  }

  explicit TemporalWorld(temporal::Settings settings = usual_settings(),
                         std::string_view now = "2026-11-17T03:34:46.3Z")
      : clock_{parse_instant(now).value()},
        logs_{FileLogStore::open(folder_.path()).value()},
        application_{{.store = store_.ports(),
                      .logs = *logs_,
                      .commands = commands_,
                      .definitions = definitions_,
                      .zones = zones_,
                      .clock = clock_,
                      .run_ids = run_ids_},
                     {},
                     log_},
        api_{application_, {.settings = std::move(settings), .reader_count = 1, .writer_count = 1}, log_} {
    CARILLON_ASSERT(commands_.adopt_zone_rules());
    for (const Role role : {Role::viewer, Role::operator_, Role::editor, Role::admin, Role::worker})
      add_token(std::string{to_text(role)}, {.name = "test", .role = role});
    add_token("blue", {.name = "test", .role = Role::admin, .name_space = "blue"});
  }
  ~TemporalWorld() {
    api_.stop();
    application_.stop();
  }
  TemporalWorld(const TemporalWorld&) = delete;
  TemporalWorld& operator=(const TemporalWorld&) = delete;

  static std::string path_of(std::string_view method) {
    if (method == "ListSearchAttributes")
      return "/temporal.api.operatorservice.v1.OperatorService/ListSearchAttributes";
    if (method == "Check") return "/grpc.health.v1.Health/Check";
    return "/temporal.api.workflowservice.v1.WorkflowService/" + std::string{method};
  }

  /// `who` is one of the roles, or `blue`; empty: nobody.
  grpc::Answer call(std::string_view method, const std::string& message, std::string_view who = "admin") {
    return call_path(path_of(method), message, who);
  }
  grpc::Answer call_path(std::string path, const std::string& message, std::string_view who) {
    const auto sink = std::make_shared<WaitingSink>();
    const auto token = tokens_.find(who);
    grpc::Call call{.path = std::move(path),
                    .authorization = token == tokens_.end() ? std::string{who} : "Bearer " + token->second,
                    .peer_address = "127.0.0.1",
                    .message = message};
    {
      // As on a thread of the server: whoever asks the store here is a fault.
      const BlockingForbidden forbidden;
      api_.handle(std::move(call), grpc::Replier{sink});
    }
    return sink->wait();
  }
  /// The answer of a call that must succeed.
  template <typename Response, typename Request>
  Response ask(std::string_view method, const Request& request, std::string_view who = "admin") {
    const grpc::Answer answer = call(method, request.SerializeAsString(), who);
    if (!answer.status.is_ok()) throw std::runtime_error{std::string{method} + ": " + answer.status.message};
    Response response;
    CARILLON_ASSERT(response.ParseFromString(answer.message));
    return response;
  }
  /// The status of a call that must fail.
  template <typename Request>
  grpc::Status refused(std::string_view method, const Request& request, std::string_view who = "admin") {
    return call(method, request.SerializeAsString(), who).status;
  }

  void add_token(std::string name, const TokenRequest& command) {
    const Caller first{.actor = "test", .address = {}, .role = Role::admin};
    tokens_.emplace(std::move(name), application_.access().issue(first, command)->text);
  }
  static Caller admin() { return {.actor = "test", .address = {}, .role = Role::admin}; }
  Application& application() { return application_; }
  /// Time goes on, and what is due is decided, as by a server.
  void pass(Duration time) {
    clock_.advance(time);
    EditionContext server{store_, store_, definitions_, unique_number(), {}};
    while (server.scheduling.decide_due({}).value().written > 0) {
    }
  }
  ManualClock& clock() { return clock_; }
  temporal::TemporalApi& api() { return api_; }

 private:
  TemporaryFolder folder_;
  ManualClock clock_;
  FixedZoneSource zones_;
  MemoryStore store_{clock_};
  SharedDefinitions definitions_{store_, zones_};
  ScheduleCommands commands_{store_, store_, definitions_, [] {}};
  std::unique_ptr<FileLogStore> logs_;
  RunIds run_ids_{RunIds::Key{7}};
  QuietLog log_;
  std::map<std::string, std::string, std::less<>> tokens_;
  Application application_;
  temporal::TemporalApi api_;
};

}  // namespace carillon::testing
