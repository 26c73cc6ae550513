#include "executors/http/http_executor.hpp"

#include "base/assertion.hpp"
#include "definitions/secret_references.hpp"
#include "executors/http/http_request.hpp"
#include "executors/http/transfer.hpp"

#include <curl/curl.h>
#include <fmt/format.h>
#include <signal.h>

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

namespace carillon {
namespace {

constexpr std::string_view user_agent = "carillon/" CARILLON_VERSION;

// The time a machine is suspended is no time to poll(), but it is to the right to perform attempts: look now and then.
constexpr int busy_wait_ms = 500;
constexpr int idle_wait_ms = 1'000;  // as often it says that it lives

struct Begin {
  AttemptKey key;
  Duration launch_before;
  Result<HttpRequest> request;
};
struct End {
  AttemptKey key;
};
struct OwnPorts {
  std::vector<std::uint16_t> ports;
};
using Command = std::variant<Begin, End, OwnPorts>;

struct MultiCleanup {
  void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
};
using Multi = std::unique_ptr<CURLM, MultiCleanup>;

Multi make_multi() {
  static const CURLcode is_initialized = curl_global_init(CURL_GLOBAL_DEFAULT);
  CARILLON_ASSERT(is_initialized == CURLE_OK);
  Multi multi{curl_multi_init()};
  if (!multi) throw std::bad_alloc{};
  return multi;
}

/// A write to a connection that the other side has closed shall be an error of that transfer.
void block_broken_pipe_signal() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

std::string text_of(const Error& error) {
  std::string text = error.message;
  if (!error.hint.empty()) text += "; " + error.hint;
  for (const std::string& doing : error.context) text += fmt::format(" ({})", doing);
  return text;
}

AttemptEnd ended_as(AttemptOutcome outcome, std::string_view error) {
  return {.outcome = outcome, .error = std::string{error}};
}

}  // namespace

/// The thread that moves all transfers, and what it is told by others.
class HttpExecutor::Loop {
 public:
  Loop(Clock& clock, AttemptEvents& events, HttpOptions options)
      : clock_{clock}, events_{events}, options_{std::move(options)}, multi_{make_multi()} {
    thread_ =
        watched_thread(options_.loops, "requests", [this](const auto& token, const auto& pulse) { run(token, pulse); });
  }
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;
  ~Loop() {
    thread_.request_stop();
    curl_multi_wakeup(multi_.get());
    thread_.join();
    for (auto& [key, transfer] : transfers_) curl_multi_remove_handle(multi_.get(), transfer->handle());
  }

  Clock& clock() { return clock_; }

  void tell(Command command) {
    {
      const std::lock_guard lock{mutex_};
      commands_.push_back(std::move(command));
    }
    curl_multi_wakeup(multi_.get());
  }

  void extend_until(Duration since_boot) {
    {
      const std::lock_guard lock{mutex_};
      performs_until_ = since_boot;
    }
    curl_multi_wakeup(multi_.get());
  }

 private:
  void run(const std::stop_token& token, const LoopMonitor::Pulse& pulse) {
    block_broken_pipe_signal();
    while (!token.stop_requested()) {
      pulse.beat();
      for (Command& command : taken_commands()) {
        std::visit([this](auto& what) { obey(what); }, command);
      }
      end_late_ones();
      end_idle_ones();
      begin_waiting_ones();
      int active_count = 0;
      curl_multi_perform(multi_.get(), &active_count);
      if (conclude_done_ones()) continue;
      curl_multi_poll(multi_.get(), nullptr, 0, transfers_.empty() ? idle_wait_ms : busy_wait_ms, nullptr);
    }
  }

  std::vector<Command> taken_commands() {
    const std::lock_guard lock{mutex_};
    return std::exchange(commands_, {});
  }

  bool is_right_over() {
    const std::lock_guard lock{mutex_};
    return clock_.since_boot() >= performs_until_;
  }

  void obey(Begin& begin) {
    if (!begin.request) {
      events_.ended(begin.key, ended_as(AttemptOutcome::failed, text_of(begin.request.error())));
      return;
    }
    const auto [position, is_new] = transfers_.try_emplace(
        begin.key, std::make_unique<Transfer>(begin.key, begin.launch_before, *std::move(begin.request), options_,
                                              clock_, events_));
    CARILLON_ASSERT(is_new);
    waiting_.push_back(begin.key);
  }

  void obey(const End& end) {
    if (transfers_.contains(end.key)) finish(end.key, ended_as(AttemptOutcome::cancelled, "stopped"));
  }

  void obey(OwnPorts& own) { options_.own_ports = std::move(own.ports); }

  void end_late_ones() {
    if (transfers_.empty()) return;
    if (is_right_over()) {
      while (!transfers_.empty()) {
        const Transfer& transfer = *transfers_.begin()->second;
        const auto outcome = transfer.is_launched() ? AttemptOutcome::lost : AttemptOutcome::released;
        finish(transfer.key(), ended_as(outcome, "its lease was not renewed in time"));
      }
      return;
    }
    for (const AttemptKey& key : std::vector<AttemptKey>{waiting_.begin(), waiting_.end()}) {
      if (transfers_.at(key)->is_late())
        finish(key, ended_as(AttemptOutcome::released, "its launch deadline has passed"));
    }
  }

  void end_idle_ones() {
    std::vector<Transfer*> idle;
    for (const auto& [key, transfer] : transfers_) {
      if (transfer->is_idle()) idle.push_back(transfer.get());
    }
    for (Transfer* transfer : idle) finish(transfer->key(), transfer->conclude_idle());
  }

  void begin_waiting_ones() {
    while (!waiting_.empty() && transfers_.size() - waiting_.size() < options_.transfer_count_max) {
      const AttemptKey key = waiting_.front();
      waiting_.pop_front();
      CARILLON_ASSERT(curl_multi_add_handle(multi_.get(), transfers_.at(key)->handle()) == CURLM_OK);
    }
  }

  bool conclude_done_ones() {
    bool is_any = false;
    int left_count = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &left_count)) {
      if (message->msg != CURLMSG_DONE) continue;
      Transfer& transfer = Transfer::of(message->easy_handle);
      finish(transfer.key(), transfer.conclude(message->data.result));
      is_any = true;
    }
    return is_any;
  }

  void finish(AttemptKey key, AttemptEnd end) {
    const auto position = transfers_.find(key);
    curl_multi_remove_handle(multi_.get(), position->second->handle());
    std::erase(waiting_, key);
    transfers_.erase(position);
    events_.ended(key, std::move(end));
  }

  Clock& clock_;
  AttemptEvents& events_;
  HttpOptions options_;  // of the thread
  const Multi multi_;

  std::mutex mutex_;
  std::vector<Command> commands_;
  Duration performs_until_ = Duration::max();

  // The thread's own.
  std::map<AttemptKey, std::unique_ptr<Transfer>> transfers_;
  std::deque<AttemptKey> waiting_;  // of the transfers: those whose turn has not come

  std::jthread thread_;
};

HttpExecutor::HttpExecutor(Clock& clock, AttemptEvents& events, HttpOptions options)
    : loop_{std::make_unique<Loop>(clock, events, std::move(options))} {}

HttpExecutor::~HttpExecutor() = default;

void HttpExecutor::launch(Assignment assignment) {
  const HttpAction* action = std::get_if<HttpAction>(&assignment.action);
  CARILLON_ASSERT(action != nullptr);
  loop_->tell(Begin{.key = assignment.key,
                    .launch_before = assignment.launch_before,
                    .request = prepare_request(*action, assignment.envelope, resolver_of(assignment.secrets),
                                               user_agent, loop_->clock().now())});
}

void HttpExecutor::stop(const AttemptKey& key, Stop how) {
  if (how != Stop::none) loop_->tell(End{key});
}

void HttpExecutor::close_ports(std::vector<std::uint16_t> own_ports) { loop_->tell(OwnPorts{std::move(own_ports)}); }

void HttpExecutor::extend_until(Duration since_boot) { loop_->extend_until(since_boot); }

}  // namespace carillon
