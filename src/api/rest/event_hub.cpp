#include "api/rest/event_hub.hpp"

#include "api/rest/documents.hpp"

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <span>

namespace carillon::rest {
namespace {

namespace json = boost::json;

constexpr std::size_t page_size = 500;
/// How far those who watch may lag behind what happens before they are told to read the present instead.
constexpr std::int64_t lag_max = 20'000;
constexpr int beats_per_comment = 7;
/// A larger event is not sent: well below what a stream may hold, so that one event never fills it.
constexpr std::size_t event_size_max = 128 * 1024;
/// The newest attempts of a run that an event shows.
constexpr std::size_t attempt_count_max = 10;

std::string_view name_of(FeedKind kind) {
  switch (kind) {
    case FeedKind::run_queued: return "run.queued";
    case FeedKind::run_started: return "run.started";
    case FeedKind::run_finished: return "run.finished";
    case FeedKind::run_retrying: return "run.retrying";
    case FeedKind::occurrence_skipped: return "occurrence.skipped";
    case FeedKind::schedule_changed: return "schedule.changed";
    case FeedKind::backfill_progress: return "backfill.progress";
  }
  return "";
}

std::string_view topic_of(std::string_view name) { return name.substr(0, name.find('.')); }

bool is_about_a_run(FeedKind kind) { return kind <= FeedKind::run_retrying || kind == FeedKind::occurrence_skipped; }

std::string event_text(std::int64_t position, std::string_view name, const json::object& data) {
  return fmt::format("id: {}\nevent: {}\ndata: {}\n\n", position, name, json::serialize(data));
}

/// In place of an event that is too large: what it says can be read, and the stream goes on behind it.
std::string bounded_event_text(std::int64_t position, std::string_view name, const json::object& data) {
  std::string text = event_text(position, name, data);
  if (text.size() <= event_size_max) return text;
  return event_text(position, "resync", {{"reason", "too_large"}});
}

}  // namespace

EventHub::EventHub(Services& services, Log& log, std::chrono::milliseconds beat_interval, std::function<void()> on_beat,
                   LoopMonitor* loops)
    : services_{services},
      log_{log},
      beat_interval_{beat_interval},
      on_beat_{std::move(on_beat)},
      thread_{[this, loops](const std::stop_token& token) { run(token, loops); }} {}

void EventHub::add(http::ResponseStream stream, EventFilter filter) {
  {
    const std::scoped_lock lock{mutex_};
    newcomers_.push_back({.stream = std::move(stream), .filter = std::move(filter)});
    is_woken_ = true;
  }
  condition_.notify_one();
}

void EventHub::wake() {
  {
    const std::scoped_lock lock{mutex_};
    is_woken_ = true;
  }
  condition_.notify_one();
}

void EventHub::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

void EventHub::run(const std::stop_token& token, LoopMonitor* loops) {
  const auto pulse = watch_this_thread(loops, "events");
  auto next_beat = std::chrono::steady_clock::now() + beat_interval_;
  while (!token.stop_requested()) {
    pulse.beat();
    {
      std::unique_lock lock{mutex_};
      condition_.wait_until(lock, token, next_beat, [&] { return is_woken_; });
      is_woken_ = false;
    }
    if (token.stop_requested()) break;
    take_newcomers();
    if (!watchers_.empty()) tell_live();
    for (Watcher& watcher : watchers_)
      if (watcher.is_behind && watcher.has_drained->exchange(false)) catch_up(watcher);
    std::erase_if(watchers_, [](const Watcher& watcher) { return !watcher.stream.is_open(); });
    if (std::chrono::steady_clock::now() < next_beat) continue;
    beat();
    on_beat_();
    next_beat = std::chrono::steady_clock::now() + beat_interval_;
  }
  for (const Watcher& watcher : watchers_) {
    watcher.stream.when_drained([] {});  // not this hub's any more
    watcher.stream.write(event_text(watcher.position, "server.status", {{"status", "stopping"}}));
    watcher.stream.close();
  }
  watchers_.clear();
}

void EventHub::take_newcomers() {
  std::vector<Watcher> newcomers;
  {
    const std::scoped_lock lock{mutex_};
    newcomers.swap(newcomers_);
  }
  if (newcomers.empty()) return;
  if (watchers_.empty()) {
    // Nobody was listening: what happened until now is told to nobody but those who ask for it.
    if (const auto page = services_.parts.feed.read_events(std::nullopt, 0)) position_ = page->newest;
  } else {
    tell_live();
  }
  for (Watcher& watcher : newcomers) {
    watchers_.push_back(std::move(watcher));
    greet(watchers_.back());
    if (!watchers_.back().stream.is_open()) watchers_.pop_back();
  }
}

// Brings a newcomer to where the others are.
void EventHub::greet(Watcher& watcher) {
  watcher.position = watcher.filter.after.value_or(position_);
  watcher.stream.write(event_text(watcher.position, "server.status", {{"status", "running"}}));
  // What it has seen, this store has not: another one, or an older copy.
  if (watcher.position > position_) {
    watcher.stream.write(event_text(position_, "resync", {{"reason", "unknown_position"}}));
    watcher.position = position_;
  }
  catch_up(watcher);
}

void EventHub::catch_up(Watcher& watcher) {
  watcher.is_behind = false;
  while (watcher.position < position_) {
    const auto page = services_.parts.feed.read_events(watcher.position, page_size);
    if (!page) return watcher.stream.close();
    if (page->is_gap || position_ - watcher.position > lag_max) {
      watcher.stream.write(event_text(position_, "resync", {{"reason", "too_old"}}));
      watcher.position = position_;
      return;
    }
    std::vector<FeedEvent> events = page->events;
    std::erase_if(events, [&](const FeedEvent& event) { return event.position > position_; });
    if (events.empty()) break;
    if (!tell(watcher, frames_of(events), events.back().position)) return watcher.stream.close();
    if (watcher.is_behind) return;
  }
  watcher.position = position_;
}

void EventHub::wait_for_room(Watcher& watcher) {
  watcher.is_behind = true;
  watcher.stream.when_drained([this, drained = watcher.has_drained] {
    *drained = true;
    wake();
  });
}

void EventHub::tell_live() {
  for (;;) {
    const auto page = services_.parts.feed.read_events(position_, page_size);
    if (!page) {
      log_.warn("events cannot be read", {{"error", page.error().message}});
      return;
    }
    if (page->is_gap || page->newest - position_ > lag_max) {
      position_ = page->newest;
      const std::string text = event_text(position_, "resync", {{"reason", "too_many"}});
      std::erase_if(watchers_, [&](Watcher& watcher) {
        if (watcher.is_behind) return !watcher.stream.is_open();
        watcher.position = position_;
        return !watcher.stream.write(text);
      });
      return;
    }
    if (page->events.empty()) return;
    const auto frames = frames_of(page->events);
    position_ = page->events.back().position;
    std::erase_if(watchers_, [&](Watcher& watcher) { return !tell(watcher, frames, position_); });
    if (watchers_.empty()) return;
  }
}

// Of what does not fit into the stream nothing is written: the watcher stays behind until there is room.
bool EventHub::tell(Watcher& watcher, const std::vector<EventFrame>& frames, std::int64_t position) {
  if (watcher.is_behind) return watcher.stream.is_open();
  std::string text;
  const std::size_t room = watcher.stream.room();
  for (const EventFrame& frame : frames) {
    const EventFilter& filter = watcher.filter;
    if (filter.name_space && *filter.name_space != frame.name_space) continue;
    if (filter.schedule && *filter.schedule != frame.schedule) continue;
    if (!filter.topics.empty() && std::ranges::find(filter.topics, frame.topic) == filter.topics.end()) continue;
    if (text.size() + frame.text.size() > room) {
      wait_for_room(watcher);
      return text.empty() ? watcher.stream.is_open() : watcher.stream.write(text);
    }
    text += frame.text;
    watcher.position = frame.position;
  }
  watcher.position = position;
  return text.empty() ? watcher.stream.is_open() : watcher.stream.write(text);
}

// Ends what is no longer allowed, and keeps lines open that have nothing to say.
void EventHub::beat() {
  const bool says_so = ++beat_count_ % beats_per_comment == 0;
  std::erase_if(watchers_, [&](const Watcher& watcher) {
    if (!services_.access.is_still_valid(watcher.filter.caller)) {
      watcher.stream.close();
      return true;
    }
    return says_so && !watcher.is_behind ? !watcher.stream.write(": still here\n\n") : !watcher.stream.is_open();
  });
}

std::vector<EventHub::EventFrame> EventHub::frames_of(const std::vector<FeedEvent>& events) {
  std::vector<Seq> seqs;
  for (const FeedEvent& event : events)
    if (is_about_a_run(event.kind) && event.subject != Seq{}) seqs.push_back(event.subject);
  std::ranges::sort(seqs);
  seqs.erase(std::ranges::unique(seqs).begin(), seqs.end());
  std::map<Seq, RunAnswer> runs;
  if (auto records = services_.parts.query_store.read_run_records(seqs))
    for (auto& record : *records)
      if (record) runs.emplace(record->seq, run_answer(*record, services_.parts.run_ids));
  std::vector<EventFrame> frames;
  for (const FeedEvent& event : events)
    if (auto frame = frame_of(event, runs)) frames.push_back(*std::move(frame));
  return frames;
}

std::optional<EventHub::EventFrame> EventHub::frame_of(const FeedEvent& event, std::map<Seq, RunAnswer>& runs) {
  const std::string_view name = name_of(event.kind);
  if (is_about_a_run(event.kind)) {
    const auto run = runs.find(event.subject);
    if (run == runs.end()) return std::nullopt;
    RunAnswer& answer = run->second;
    auto& attempts = answer.record.attempts;
    if (attempts.size() > attempt_count_max)
      attempts.erase(attempts.begin(), attempts.end() - static_cast<std::ptrdiff_t>(attempt_count_max));
    json::object document = run_document(answer);
    // What it was at that moment, not what has become of it since.
    if (event.state) document["state"] = to_text(*event.state);
    return EventFrame{.name_space = answer.record.name_space,
                      .schedule = answer.record.key ? answer.record.key->id.text() : "",
                      .topic = topic_of(name),
                      .text = bounded_event_text(event.position, name, document),
                      .position = event.position};
  }
  // By its definition, since it may be deleted by now.
  const DefinitionName any{.uid = event.uid, .revision = std::numeric_limits<std::int64_t>::max()};
  const auto stored = services_.parts.store.read_definitions(std::span{&any, 1});
  if (!stored || !stored->front()) return std::nullopt;
  const ScheduleKey& key = stored->front()->key;
  const auto schedule = services_.parts.query_store.read_schedule(event.uid);
  const bool is_there = schedule && *schedule;
  json::object document{{"id", key.id.text()},
                        {"namespace", key.name_space.text()},
                        {"status", nullptr},
                        {"revision", nullptr},
                        {"at", to_text(event.at)}};
  if (is_there) {
    document["status"] = to_text((*schedule)->view.state.status);
    document["revision"] = (*schedule)->view.state.revision;
  }
  if (event.change) document["change"] = to_text(*event.change);
  if (event.kind == FeedKind::backfill_progress) {
    const auto backfills = services_.parts.query_store.read_backfills(event.uid);
    if (!backfills) return std::nullopt;
    const auto found = std::ranges::find(*backfills, event.backfill, &Backfill::number);
    if (found == backfills->end()) return std::nullopt;
    document = backfill_document({.key = key, .record = *found});
  }
  return EventFrame{.name_space = key.name_space.text(),
                    .schedule = key.id.text(),
                    .topic = topic_of(name),
                    .text = bounded_event_text(event.position, name, document),
                    .position = event.position};
}

}  // namespace carillon::rest
