#pragma once

#include "api/http/responder.hpp"
#include "api/rest/call.hpp"
#include "base/loop_monitor.hpp"
#include "ports/log.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace carillon::rest {

/// What one who watches wants to hear of.
struct EventFilter {
  Caller caller;
  std::optional<std::string> name_space{};  // none: all
  std::optional<std::string> schedule{};
  std::vector<std::string> topics{};  // `run`, `occurrence`, `schedule`, `backfill`, `server`; none: all
  std::optional<std::int64_t> after{};
};

/// Tells those who watch what happens, from the store's feed: whoever comes back with the last position it has seen
/// misses nothing, on this server or another; whoever comes too late is told to read everything anew (`resync`), and so
/// is everybody where an event is too large to be sent. A stream that is full is served again when its client has taken
/// what was written.
class EventHub {
 public:
  /// `beat_interval`: how often tokens are looked at; every seventh time a line is written that keeps connections open.
  /// `on_beat` is called as often, on the hub's thread.
  EventHub(Services& services, Log& log, std::chrono::milliseconds beat_interval, std::function<void()> on_beat,
           LoopMonitor* loops);
  ~EventHub() { stop(); }

  /// Takes a stream that has been started.
  void add(http::ResponseStream stream, EventFilter filter);
  void wake();
  void stop();

 private:
  struct Watcher {
    http::ResponseStream stream;
    EventFilter filter;
    std::int64_t position = 0;
    bool is_behind = false;  // its stream was full before it had been told everything
    std::shared_ptr<std::atomic<bool>> has_drained = std::make_shared<std::atomic<bool>>(false);
  };
  /// An event, ready to be sent to whoever may see it.
  struct EventFrame {
    std::string name_space;
    std::string schedule;
    std::string_view topic;
    std::string text;
    std::int64_t position = 0;
  };

  void run(const std::stop_token& token, LoopMonitor* loops);
  void take_newcomers();
  void greet(Watcher& watcher);
  void catch_up(Watcher& watcher);
  void wait_for_room(Watcher& watcher);
  void tell_live();
  void beat();
  [[nodiscard]] bool tell(Watcher& watcher, const std::vector<EventFrame>& frames, std::int64_t position);
  [[nodiscard]] std::vector<EventFrame> frames_of(const std::vector<FeedEvent>& events);
  [[nodiscard]] std::optional<EventFrame> frame_of(const FeedEvent& event, std::map<Seq, RunAnswer>& runs);

  Services& services_;
  Log& log_;
  const std::chrono::milliseconds beat_interval_;
  const std::function<void()> on_beat_;
  std::mutex mutex_;
  std::condition_variable_any condition_;
  bool is_woken_ = false;  // guarded, as the next
  std::vector<Watcher> newcomers_;
  std::list<Watcher> watchers_;  // of the thread
  std::int64_t position_ = 0;    // up to which all have been told
  int beat_count_ = 0;
  std::jthread thread_;
};

}  // namespace carillon::rest
