#include "service/event_subscriptions.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace carillon {
namespace {

constexpr std::size_t feed_page_size = 500;
/// How far subscribers may lag behind what happens before they are told to read the present instead.
constexpr std::int64_t lag_max = 20'000;
constexpr int beats_per_comment = 7;
/// A larger event is not sent: well below what a sink may hold, so that one event never fills it.
constexpr std::size_t event_size_max = 128 * 1024;

EventMessage resync(std::int64_t position, ResyncReason reason) {
  return {.position = position, .kind = EventKind::resync, .value = reason};
}

EventMessage status_message(std::int64_t position, ServerStatus status) {
  return {.position = position, .kind = EventKind::server_status, .value = status};
}

/// In place of an event that is too large: what it says can be read, and the subscription goes on behind it.
std::string bounded_text(const EventFormat& format, const EventMessage& message) {
  std::string text = format.text_of(message);
  if (text.size() <= event_size_max) return text;
  return format.text_of(resync(message.position, ResyncReason::too_large));
}

}  // namespace

/// Events that are told together, each written once for every format.
class EventSubscriptions::Page {
 public:
  explicit Page(std::vector<SubscribedEvent> events) : events_{std::move(events)} {}

  [[nodiscard]] const std::vector<SubscribedEvent>& events() const { return events_; }
  [[nodiscard]] const std::string& text(std::size_t index, const EventFormat& format) {
    std::vector<std::string>& texts = texts_[&format];
    texts.resize(events_.size());
    if (texts[index].empty()) texts[index] = bounded_text(format, events_[index].message);
    return texts[index];
  }

 private:
  std::vector<SubscribedEvent> events_;
  std::map<const EventFormat*, std::vector<std::string>> texts_;
};

bool SubscriptionFilter::passes(const SubscribedEvent& event) const {
  if (name_space && *name_space != event.name_space) return false;
  if (schedule && *schedule != event.schedule) return false;
  return topics.empty() || std::ranges::find(topics, event.topic) != topics.end();
}

EventSubscriptions::EventSubscriptions(const ServiceParts& parts, Access& access, Log& log,
                                       std::chrono::milliseconds beat_interval, LoopMonitor* loops)
    : parts_{parts},
      access_{access},
      log_{log},
      reader_{parts},
      beat_interval_{beat_interval},
      thread_{watched_thread(loops, "events", [this](const auto& token, const auto& pulse) { run(token, pulse); })} {}

void EventSubscriptions::subscribe(SubscriptionFilter filter, const EventFormat& format,
                                   std::unique_ptr<EventSink> sink) {
  {
    const std::scoped_lock lock{mutex_};
    if (subscription_count_ + newcomers_.size() >= subscription_count_max) return sink->close();
    newcomers_.push_back({.filter = std::move(filter), .format = &format, .sink = std::move(sink)});
    is_woken_ = true;
  }
  condition_.notify_one();
}

std::optional<std::int64_t> EventSubscriptions::newest() const {
  const auto page = parts_.store.events.read_events(std::nullopt, 0);
  return page ? std::optional{page->newest} : std::nullopt;
}

void EventSubscriptions::wake() {
  {
    const std::scoped_lock lock{mutex_};
    is_woken_ = true;
  }
  condition_.notify_one();
}

void EventSubscriptions::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

void EventSubscriptions::run(const std::stop_token& token, const LoopMonitor::Pulse& pulse) {
  auto next_beat = std::chrono::steady_clock::now() + beat_interval_;
  while (!token.stop_requested()) {
    pulse.beat();
    {
      std::unique_lock lock{mutex_};
      subscription_count_ = subscriptions_.size();
      const auto next_step = steps_.next().value_or(next_beat);
      condition_.wait_until(lock, token, std::min(next_beat, next_step), [&] { return is_woken_; });
      is_woken_ = false;
    }
    if (token.stop_requested()) break;
    take_newcomers();
    if (!subscriptions_.empty()) tell_all();
    tell_progress();
    for (Subscription& subscription : subscriptions_)
      if (subscription.is_behind && subscription.has_drained->exchange(false)) catch_up(subscription);
    std::erase_if(subscriptions_, [](const Subscription& subscription) { return !subscription.sink->is_open(); });
    if (std::chrono::steady_clock::now() < next_beat) continue;
    beat();
    next_beat = std::chrono::steady_clock::now() + beat_interval_;
  }
  for (const Subscription& subscription : subscriptions_) {
    subscription.sink->when_drained([] {});  // what was given before names this object, which ends now
    subscription.sink->push(
        subscription.format->text_of(status_message(subscription.position, ServerStatus::stopping)));
    subscription.sink->close();
  }
  subscriptions_.clear();
}

void EventSubscriptions::take_newcomers() {
  std::vector<Subscription> newcomers;
  {
    const std::scoped_lock lock{mutex_};
    newcomers.swap(newcomers_);
    subscription_count_ = subscriptions_.size() + newcomers.size();
  }
  if (newcomers.empty()) return;
  if (subscriptions_.empty()) {
    // Nobody was listening: what happened until now is told to nobody but those who ask for it.
    position_ = newest().value_or(position_);
  } else {
    tell_all();
  }
  for (Subscription& newcomer : newcomers) {
    subscriptions_.push_back(std::move(newcomer));
    greet(subscriptions_.back());
    if (!subscriptions_.back().sink->is_open()) subscriptions_.pop_back();
  }
}

// Brings a newcomer to where the others are.
void EventSubscriptions::greet(Subscription& subscription) {
  const EventFormat& format = *subscription.format;
  subscription.position = subscription.filter.after.value_or(position_);
  subscription.sink->push(format.text_of(status_message(subscription.position, ServerStatus::running)));
  // What it has seen, this store has not: another one, or an older copy.
  if (subscription.position > position_) {
    subscription.sink->push(format.text_of(resync(position_, ResyncReason::unknown_position)));
    subscription.position = position_;
  }
  catch_up(subscription);
}

void EventSubscriptions::catch_up(Subscription& subscription) {
  subscription.is_behind = false;
  while (subscription.position < position_) {
    const auto page = parts_.store.events.read_events(subscription.position, feed_page_size);
    if (!page) return subscription.sink->close();
    if (page->is_gap || position_ - subscription.position > lag_max) {
      subscription.sink->push(subscription.format->text_of(resync(position_, ResyncReason::too_old)));
      subscription.position = position_;
      return;
    }
    std::vector<FeedEvent> events = page->events;
    std::erase_if(events, [&](const FeedEvent& event) { return event.position > position_; });
    if (events.empty()) break;
    Page told{reader_.read(events)};
    if (!tell(subscription, told, events.back().position)) return subscription.sink->close();
    if (subscription.is_behind) return;
  }
  subscription.position = position_;
}

void EventSubscriptions::wait_for_room(Subscription& subscription) {
  subscription.is_behind = true;
  subscription.sink->when_drained([this, drained = subscription.has_drained] {
    *drained = true;
    wake();
  });
}

void EventSubscriptions::tell_all() {
  for (;;) {
    const auto page = parts_.store.events.read_events(position_, feed_page_size);
    if (!page) {
      log_.warn("events cannot be read", {{"error", page.error().message}});
      return;
    }
    if (page->is_gap || page->newest - position_ > lag_max) {
      position_ = page->newest;
      std::erase_if(subscriptions_, [&](Subscription& subscription) {
        if (subscription.is_behind) return !subscription.sink->is_open();
        subscription.position = position_;
        return !subscription.sink->push(subscription.format->text_of(resync(position_, ResyncReason::too_many)));
      });
      return;
    }
    if (page->events.empty()) return;
    Page told{reader_.read(page->events)};
    position_ = page->events.back().position;
    std::erase_if(subscriptions_, [&](Subscription& subscription) { return !tell(subscription, told, position_); });
    if (subscriptions_.empty()) return;
  }
}

// After tell_all: it stands behind all that has happened so far.
void EventSubscriptions::tell_progress() {
  if (parts_.progress == nullptr) return;
  steps_.add(parts_.progress->changed_since(progress_mark_));
  const std::vector<AttemptProgress> steps = steps_.take(std::chrono::steady_clock::now());
  if (steps.empty() || subscriptions_.empty()) return;
  Page told{reader_.read(steps, position_)};
  std::erase_if(subscriptions_, [&](Subscription& subscription) { return !tell(subscription, told, position_); });
}

// Of what does not fit into the sink nothing is written: the subscription stays behind until there is room.
bool EventSubscriptions::tell(Subscription& subscription, Page& page, std::int64_t position) {
  EventSink& sink = *subscription.sink;
  if (subscription.is_behind) return sink.is_open();
  std::string text;
  const std::size_t room = sink.room();
  for (std::size_t i = 0; i < page.events().size(); ++i) {
    const SubscribedEvent& event = page.events()[i];
    if (!subscription.filter.passes(event)) continue;
    const std::string& own = page.text(i, *subscription.format);
    if (text.size() + own.size() > room) {
      wait_for_room(subscription);
      return text.empty() ? sink.is_open() : sink.push(text);
    }
    text += own;
    subscription.position = event.message.position;
  }
  subscription.position = position;
  return text.empty() ? sink.is_open() : sink.push(text);
}

// Ends what is no longer allowed, and keeps connections open that have nothing to tell.
void EventSubscriptions::beat() {
  const bool says_so = ++beat_count_ % beats_per_comment == 0;
  std::erase_if(subscriptions_, [&](const Subscription& subscription) {
    EventSink& sink = *subscription.sink;
    if (!access_.is_still_valid(subscription.filter.caller)) {
      sink.close();
      return true;
    }
    if (!says_so || subscription.is_behind) return !sink.is_open();
    return !sink.push(subscription.format->keep_alive());
  });
}

}  // namespace carillon
