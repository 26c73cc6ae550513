#pragma once

#include "base/loop_monitor.hpp"
#include "ports/event_feed.hpp"
#include "ports/log.hpp"
#include "service/access.hpp"
#include "service/caller.hpp"
#include "service/event_message.hpp"
#include "service/feed_reader.hpp"
#include "service/parts.hpp"
#include "service/progress_steps.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace carillon {

/// Where the events of one subscription go: a connection, as a door knows it. Every member is called on the thread of
/// EventSubscriptions and must neither wait nor throw.
class EventSink {
 public:
  virtual ~EventSink() = default;

  /// Sends the text of one or more events. False once nobody is there any more.
  virtual bool push(std::string_view text) = 0;
  /// Ends the subscription properly.
  virtual void close() = 0;
  [[nodiscard]] virtual bool is_open() const = 0;
  /// How many bytes may be pushed now.
  [[nodiscard]] virtual std::size_t room() const = 0;
  /// Calls this once, on any thread, when what was pushed has been taken; replaces what was given before.
  virtual void when_drained(std::function<void()> what) = 0;
};

/// How a door writes events. Each event is written once for all subscribers of a door, on the thread of
/// EventSubscriptions. Outlives the subscriptions.
class EventFormat {
 public:
  virtual ~EventFormat() = default;

  [[nodiscard]] virtual std::string text_of(const EventMessage& message) const = 0;
  /// What keeps a quiet connection open.
  [[nodiscard]] virtual std::string_view keep_alive() const = 0;
};

/// Which events a subscriber is told.
struct SubscriptionFilter {
  Caller caller;
  std::optional<std::string> name_space{};  // none: all
  std::optional<std::string> schedule{};
  std::vector<EventTopic> topics{};     // none: all
  std::optional<std::int64_t> after{};  // the last position that was seen; none: what happens from now on

  [[nodiscard]] bool passes(const SubscribedEvent& event) const;
};

/// Tells subscribers what happens, from the store's feed. A subscriber that comes back with the last position it has
/// seen misses nothing, on this server or another; one that comes too late is told to read everything anew (`resync`),
/// and so is everybody where an event is too large to be sent. How far runs are is told while it happens, and only
/// to who is there. A sink that is full is served again when its client has taken what was written. The subscription of
/// a token that has ended or was revoked is closed.
class EventSubscriptions {
 public:
  /// `beat_interval`: how often tokens are checked; every seventh time quiet connections are kept open.
  EventSubscriptions(const ServiceParts& parts, Access& access, Log& log, std::chrono::milliseconds beat_interval,
                     LoopMonitor* loops);
  ~EventSubscriptions() { stop(); }
  EventSubscriptions(const EventSubscriptions&) = delete;
  EventSubscriptions& operator=(const EventSubscriptions&) = delete;

  /// From any thread. The filter must name what its caller may see: see `Caller::namespace_to_list`. Beyond
  /// `subscription_count_max` the sink is closed at once.
  void subscribe(SubscriptionFilter filter, const EventFormat& format, std::unique_ptr<EventSink> sink);
  /// The newest position, for a subscription that is to be told what happens from now on: to be asked before its client
  /// is answered, since the thread of the subscriptions may come to it later. None if the store cannot be asked.
  [[nodiscard]] std::optional<std::int64_t> newest() const;
  /// The feed may have grown. From any thread; does not wait.
  void wake();
  /// Tells all that the server stops, and closes them. Safe to call twice.
  void stop();

  static constexpr std::size_t subscription_count_max = 10'000;

 private:
  struct Subscription {
    SubscriptionFilter filter;
    const EventFormat* format;
    std::unique_ptr<EventSink> sink;
    std::int64_t position = 0;
    bool is_behind = false;  // its sink was full before it had been told everything
    std::shared_ptr<std::atomic<bool>> has_drained = std::make_shared<std::atomic<bool>>(false);
  };
  class Page;

  void run(const std::stop_token& token, const LoopMonitor::Pulse& pulse);
  void take_newcomers();
  void greet(Subscription& subscription);
  void catch_up(Subscription& subscription);
  void wait_for_room(Subscription& subscription);
  void tell_all();
  void tell_progress();
  void beat();
  [[nodiscard]] bool tell(Subscription& subscription, Page& page, std::int64_t position);

  const ServiceParts& parts_;
  Access& access_;
  Log& log_;
  FeedReader reader_;
  const std::chrono::milliseconds beat_interval_;
  std::mutex mutex_;
  std::condition_variable_any condition_;
  bool is_woken_ = false;  // guarded, as the next two
  std::vector<Subscription> newcomers_;
  std::size_t subscription_count_ = 0;
  std::list<Subscription> subscriptions_;  // of the thread
  std::int64_t position_ = 0;              // up to which all have been told
  int beat_count_ = 0;
  ProgressSteps steps_;
  std::uint64_t progress_mark_ = 0;
  std::jthread thread_;
};

}  // namespace carillon
