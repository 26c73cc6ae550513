#pragma once

#include "engine/transition.hpp"
#include "ports/schedule_store.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace carillon::conformance {

// Transitions made by hand, so that stores are held to what the ports say and not to what the engine happens to decide.

[[nodiscard]] inline ScheduleKey key_of(std::string_view id, std::string_view name_space = "default") {
  return ScheduleKey{.name_space = NamespaceId::parse(name_space).value(), .id = ScheduleId::parse(id).value()};
}

/// One decision: starting(nominal).queue("fast").priority(5)
class DecisionBuilder {
 public:
  DecisionBuilder(Instant nominal, Verdict verdict) {
    decision_.nominal = nominal;
    decision_.due = nominal;
    decision_.verdict = std::move(verdict);
  }

  DecisionBuilder& due(Instant due) { return set(decision_.due, due); }
  DecisionBuilder& source(Source source) { return set(decision_.source, source); }
  DecisionBuilder& overlap(OverlapPolicy policy) { return set(decision_.overlap, policy); }
  DecisionBuilder& payload(std::string text) { return set(decision_.payload, std::move(text)); }
  DecisionBuilder& beside_the_slot() { return set(decision_.holds_slot, false); }
  DecisionBuilder& trigger(std::string id) { return source(Source::trigger).set(decision_.trigger, std::move(id)); }
  DecisionBuilder& of_backfill(std::int64_t number) { return source(Source::backfill).set(decision_.backfill, number); }

  // Of one that starts.
  DecisionBuilder& queue(std::string name) { return set(starts().queue, std::move(name)); }
  DecisionBuilder& priority(std::int64_t priority) { return set(starts().priority, priority); }
  DecisionBuilder& queued_at(Instant at) { return set(starts().queued_at, at); }
  DecisionBuilder& expires_at(Instant at) { return set(starts().expires_at, at); }
  DecisionBuilder& revision(std::int64_t revision) { return set(starts().revision, revision); }
  DecisionBuilder& last_success(Seq seq) { return set(starts().last_success, seq); }
  DecisionBuilder& last_failure(Seq seq) { return set(starts().last_failure, seq); }

  [[nodiscard]] const Decision& decision() const { return decision_; }

 private:
  Starts& starts() { return std::get<Starts>(decision_.verdict); }
  template <typename T, typename U>
  DecisionBuilder& set(T& member, U&& value) {
    member = std::forward<U>(value);
    return *this;
  }

  Decision decision_{};
};

[[nodiscard]] inline Starts a_start(Instant queued_at) {
  return Starts{.revision = 1, .queued_at = queued_at, .queue = "default"};
}

/// Starts at its nominal time.
[[nodiscard]] inline DecisionBuilder starting(Instant nominal) { return {nominal, a_start(nominal)}; }
[[nodiscard]] inline DecisionBuilder waiting(Instant nominal) { return {nominal, Waits{}}; }
[[nodiscard]] inline DecisionBuilder skipping(Instant nominal, SkipReason reason) { return {nominal, Skips{reason}}; }

/// One transition: after(state, now).decides(starting(now)).wakes_at(now + 1h)
class TransitionBuilder {
 public:
  TransitionBuilder(ScheduleState from, Instant now) {
    transition_.next = std::move(from);
    ++transition_.next.version;
    transition_.decided_under = transition_.next.revision;
    transition_.decided_at = now;
  }

  TransitionBuilder& decides(const DecisionBuilder& decision) {
    return add(transition_.decisions, decision.decision());
  }
  TransitionBuilder& resolves(Seq waiting, Verdict verdict) {
    return add(transition_.resolutions, Resolution{.seq = waiting, .verdict = std::move(verdict)});
  }
  TransitionBuilder& skips_range(const SkippedRange& range) { return add(transition_.ranges, range); }
  TransitionBuilder& voids(Instant from, Instant to) { return add(transition_.voids, VoidedRange{from, to}); }
  TransitionBuilder& has_backfill(const Backfill& backfill) { return add(transition_.backfills, backfill); }
  TransitionBuilder& orders(RunOrder::Kind kind, Seq run, SkipReason reason = SkipReason::paused) {
    return add(transition_.orders, RunOrder{.seq = run, .kind = kind, .reason = reason});
  }
  TransitionBuilder& counts(Seq run) { return add(transition_.counted, run); }
  TransitionBuilder& watches(Seq run) { return add(transition_.watched, run); }
  TransitionBuilder& changes(const Change& change) { return add(transition_.changes, change); }
  TransitionBuilder& request(std::int64_t number) { return set(transition_.request, number); }

  TransitionBuilder& wakes_at(Instant wake) { return set(transition_.next.wake, wake); }
  TransitionBuilder& sleeps() { return set(transition_.next.wake, std::nullopt); }
  TransitionBuilder& listens(bool listens = true) { return set(transition_.next.listens, listens); }
  TransitionBuilder& cursor(Instant cursor) { return set(transition_.next.cursor, cursor); }

  /// A new document; what this transition decides, it still decides under the old one.
  TransitionBuilder& edits(std::string document) {
    ++transition_.next.revision;
    return changes({.kind = ChangeKind::updated,
                    .revision = transition_.next.revision,
                    .by = "ann",
                    .document = std::move(document)});
  }
  TransitionBuilder& deletes() {
    transition_.next.deleted_at = transition_.decided_at;
    ++transition_.next.revision;
    return changes({.kind = ChangeKind::deleted, .revision = transition_.next.revision, .by = "ann"})
        .listens(false)
        .sleeps();
  }

  [[nodiscard]] ScheduleState& next() { return transition_.next; }
  [[nodiscard]] const Transition& transition() const { return transition_; }

 private:
  template <typename Members, typename Member>
  TransitionBuilder& add(Members& members, Member&& member) {
    members.push_back(std::forward<Member>(member));
    return *this;
  }
  template <typename T, typename U>
  TransitionBuilder& set(T& member, U&& value) {
    member = std::forward<U>(value);
    return *this;
  }

  Transition transition_{};
};

/// Registers a schedule that is active and sleeps.
[[nodiscard]] inline TransitionBuilder creation(const ScheduleKey& key, Instant now, std::string document = "{}") {
  ScheduleState none;
  none.revision = 1;
  none.created_at = now;
  none.cursor = now;
  none.started_until = now;
  none.skipped_until = now;
  TransitionBuilder builder{none, now};
  builder.changes(
      {.kind = ChangeKind::created, .revision = 1, .by = "ann", .key = key, .document = std::move(document)});
  return builder;
}
[[nodiscard]] inline TransitionBuilder creation(std::string_view id, Instant now) { return creation(key_of(id), now); }

/// Decides from a state that was read.
[[nodiscard]] inline TransitionBuilder after(const ScheduleState& state, Instant now) { return {state, now}; }

}  // namespace carillon::conformance
