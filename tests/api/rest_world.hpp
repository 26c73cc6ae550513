#pragma once

#include "api/rest/rest_api.hpp"
#include "base/assertion.hpp"
#include "base/blocking.hpp"
#include "scheduling/schedule_commands.hpp"
#include "scheduling/shared_definitions.hpp"
#include "service/application.hpp"
#include "stores/memory/memory_store.hpp"
#include "support/fixed_zone_source.hpp"
#include "support/manual_clock.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace carillon::testing {

class SilentLog final : public Log {
 public:
  void write(LogLevel, std::string_view, std::initializer_list<LogField>) override {}
};

/// One text for each run.
class LogsInMemory final : public LogStore {
 public:
  void append(Uid, const AttemptKey& key, OutputStream, std::string_view bytes) override {
    const std::scoped_lock lock{mutex_};
    texts_[key.run] += bytes;
  }
  Result<> close(Uid, const AttemptKey&) override { return {}; }
  Result<LogPage> read(Uid, const AttemptKey& key, std::int64_t offset, std::size_t count_max) override {
    const std::scoped_lock lock{mutex_};
    const std::string& text = texts_[key.run];
    const std::size_t begin = std::min(static_cast<std::size_t>(offset), text.size());
    LogPage page{.bytes = text.substr(begin, count_max), .size = static_cast<std::int64_t>(text.size())};
    page.next_offset = static_cast<std::int64_t>(begin + page.bytes.size());
    return page;
  }
  Result<> remove(Uid, const std::vector<Seq>&) override { return {}; }

 private:
  std::mutex mutex_;
  std::map<Seq, std::string> texts_;
};

/// What is written to a stream, for whoever waits for it.
class StreamReader final : public http::StreamSink {
 public:
  bool write(std::string_view bytes) override {
    const std::scoped_lock lock{mutex_};
    if (is_closed_ || is_deaf_) return false;
    if (size_max_ && unread_ + bytes.size() > *size_max_) {
      is_deaf_ = true;  // as a connection that drops its client
      changed_.notify_all();
      return false;
    }
    unread_ += bytes.size();
    text_ += bytes;
    changed_.notify_all();
    return true;
  }
  void close() override {
    const std::scoped_lock lock{mutex_};
    is_closed_ = true;
    changed_.notify_all();
  }
  [[nodiscard]] bool is_open() const override {
    const std::scoped_lock lock{mutex_};
    return !is_closed_ && !is_deaf_;
  }
  [[nodiscard]] std::size_t room() const override {
    const std::scoped_lock lock{mutex_};
    return size_max_ ? *size_max_ - unread_ : 1'000'000;
  }
  void when_drained(std::function<void()> what) override {
    std::unique_lock lock{mutex_};
    drained_ = std::move(what);
    changed_.notify_all();
  }
  void on_closed(std::function<void()>) override {}

  /// As long as this is kept, whoever writes to it waits.
  [[nodiscard]] std::unique_lock<std::mutex> hold_up() { return std::unique_lock{mutex_}; }
  /// As one that has read too slowly.
  void go_deaf() {
    const std::scoped_lock lock{mutex_};
    is_deaf_ = true;
  }
  /// From now on it holds no more than this until it is read.
  void hold_at_most(std::size_t size) {
    const std::scoped_lock lock{mutex_};
    size_max_ = size;
    unread_ = 0;
  }
  /// Takes what has been written, as a client that reads: whoever waits for room is told.
  void read_everything() {
    std::function<void()> drained;
    {
      const std::scoped_lock lock{mutex_};
      unread_ = 0;
      drained = std::exchange(drained_, {});
    }
    if (drained) drained();
  }
  /// Until somebody waits for room, or this has come. False if neither happens in a long time.
  [[nodiscard]] bool wait_until_full_or(std::string_view text) {
    std::unique_lock lock{mutex_};
    return changed_.wait_for(lock, std::chrono::seconds{60},
                             [&] { return drained_ != nullptr || text_.contains(text); });
  }
  /// Everything so far, once it contains this, read as it comes. What is empty has not come in a long time.
  [[nodiscard]] std::string read_until(std::string_view text) {
    while (wait_until_full_or(text)) {
      read_everything();
      const std::scoped_lock lock{mutex_};
      if (text_.contains(text)) return text_;
    }
    return {};
  }
  /// Everything so far, once it contains this. What is empty has not come in a long time.
  [[nodiscard]] std::string wait_for(std::string_view text) {
    std::unique_lock lock{mutex_};
    const bool has_come = changed_.wait_for(lock, std::chrono::seconds{60}, [&] { return text_.contains(text); });
    return has_come ? text_ : std::string{};
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::string text_;  // guarded, as the next
  bool is_closed_ = false;
  bool is_deaf_ = false;
  std::optional<std::size_t> size_max_;
  std::size_t unread_ = 0;
  std::function<void()> drained_;
};

/// Waits for one answer. Has gone when it is looked for a third time, so that nothing waits for work that never comes.
class Asker final : public http::AnswerSink {
 public:
  void send(http::Response response) override {
    const std::scoped_lock lock{mutex_};
    CARILLON_ASSERT(!answer_);
    answer_ = std::move(response);
    changed_.notify_all();
  }
  std::shared_ptr<http::StreamSink> start_stream(int status, http::HeaderList headers) override {
    send({.status = status, .headers = std::move(headers)});
    return stream_;
  }
  [[nodiscard]] bool is_open() const override { return look_count_.fetch_add(1) < 2; }

  http::Response wait() {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [&] { return answer_.has_value(); });
    return *answer_;
  }
  [[nodiscard]] std::shared_ptr<StreamReader> stream() const { return stream_; }

 private:
  const std::shared_ptr<StreamReader> stream_ = std::make_shared<StreamReader>();
  mutable std::atomic<int> look_count_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<http::Response> answer_;  // guarded
};

/// With one thread of each kind.
inline constexpr auto one_thread_each = [] { return rest::RestOptions{.writer_count = 1, .reader_count = 1}; };

/// The whole interface over a store in memory, without sockets.
class RestWorld {
 public:
  explicit RestWorld(const rest::RestOptions& options = {.writer_count = 1, .reader_count = 1},
                     EventFeed* feed = nullptr, IdempotencyStore* requests = nullptr, CommandRules commands = {},
                     const ApplicationOptions& application = {}, ProgressSource* progress = nullptr)
      : application_{{.store = {.schedules = store_,
                                .runs = store_,
                                .queries = store_,
                                .retention = store_,
                                .events = feed == nullptr ? store_ : *feed,
                                .audit = store_,
                                .tokens = store_,
                                .idempotency = requests == nullptr ? store_ : *requests,
                                .notifier = store_},
                      .logs = logs_,
                      .commands = commands_,
                      .definitions = definitions_,
                      .zones = zones_,
                      .clock = clock_,
                      .run_ids = run_ids_,
                      .command_rules = std::move(commands),
                      .progress = progress},
                     application,
                     log_},
        api_{application_,
             {.stalled = [] { return std::vector<LoopMonitor::State>{}; },
              .unreadiness = [] { return std::nullopt; },
              .metrics = [] { return std::string{"up 1\n"}; },
              .version = "0"},
             options,
             log_} {
    CARILLON_ASSERT(commands_.adopt_zone_rules());
    for (const Role role : {Role::viewer, Role::operator_, Role::editor, Role::admin, Role::worker})
      add_token(std::string{to_text(role)}, {.name = "test", .role = role});
    add_token("blue", {.name = "test", .role = Role::admin, .name_space = "blue"});
  }

  /// `Authorization: Bearer admin` and its like stand for tokens, which nobody could guess.
  http::Response ask(http::Request request) { return start(std::move(request))->wait(); }
  std::shared_ptr<Asker> start(http::Request request) {
    http::Headers headers;
    for (std::size_t i = 0; i < request.headers.size(); ++i) {
      const auto [name, value] = request.headers[i];
      const auto token = tokens_.find(value.substr(std::min(value.find(' ') + 1, value.size())));
      headers.add(name, token == tokens_.end() ? std::string{value} : "Bearer " + token->second);
    }
    request.headers = std::move(headers);
    request.peer_address = "127.0.0.1";
    auto asker = std::make_shared<Asker>();
    // As on a thread of the HTTP server: whoever asks the store here is a fault.
    const BlockingForbidden forbidden;
    api_.handle(std::move(request), http::Responder{asker});
    return asker;
  }

  [[nodiscard]] const std::string& token(std::string_view name) const { return tokens_.find(name)->second; }
  /// To be named as the bearer of requests.
  void add_token(std::string name, const TokenRequest& command) {
    const Caller first{.actor = "test", .address = {}, .role = Role::admin};
    tokens_.emplace(std::move(name), application_.access().issue(first, command)->text);
  }
  ManualClock& clock() { return clock_; }
  rest::RestApi& api() { return api_; }
  Application& application() { return application_; }
  MemoryStore& store() { return store_; }

 private:
  ManualClock clock_{parse_instant("2026-06-01T12:00:00Z").value()};
  FixedZoneSource zones_;
  MemoryStore store_{clock_};
  SharedDefinitions definitions_{store_, zones_};
  ScheduleCommands commands_{store_, store_, definitions_, [] {}};
  LogsInMemory logs_;
  RunIds run_ids_{RunIds::Key{7}};
  SilentLog log_;
  std::map<std::string, std::string, std::less<>> tokens_;
  Application application_;
  rest::RestApi api_;
};

}  // namespace carillon::testing
