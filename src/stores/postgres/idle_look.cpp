#include "stores/postgres/idle_look.hpp"

#include <fmt/format.h>

#include <chrono>

namespace carillon::postgres {
namespace {

/// Of an answer that took longer nobody knows well enough what the time was.
constexpr Duration answer_time_max = std::chrono::milliseconds{100};

}  // namespace

IdleLook::IdleLook(Clock& clock, ClockWatch& clock_watch, Duration good_for)
    : clock_{clock}, clock_watch_{clock_watch}, good_for_{good_for} {}

IdleLook::Question IdleLook::begin() {
  const std::scoped_lock lock{mutex_};
  return {.writes = writes_, .before = clock_.since_boot(), .sessions = {sessions_.begin(), sessions_.end()}};
}

// Each is one look into an index, however much there is. Asked without limits for the transaction, so the planner has
// to be left no choice: an order with a limit is read from the index that has it.
std::string IdleLook::columns(const std::string& schema, int sessions) {
  return fmt::format(
      "{0}.store_now(), c.moved, (SELECT edition FROM {0}.zone), (SELECT wake_at FROM {0}.state WHERE wake_at IS NOT "
      "NULL AND flags & 2 = 0 ORDER BY wake_at LIMIT 1), (SELECT min(lease_until) FROM {0}.session WHERE phase = 0), "
      "(SELECT true FROM {0}.ledger WHERE state IN (1, 3) ORDER BY queue LIMIT 1), EXISTS (SELECT FROM {0}.session "
      "WHERE phase = 1), (SELECT count(*) FROM {0}.session WHERE id = ANY(${1}) AND phase = 0), (SELECT "
      "min(lease_until) FROM {0}.session WHERE id = ANY(${1}) AND phase = 0)",
      schema, sessions);
}

void IdleLook::take(const Question& question, const Row& row, int column) {
  const ClockReading reading{.now = row.instant(column),
                             .moved = row.duration(column + 1),
                             .before = question.before,
                             .after = clock_.since_boot()};
  const bool has_stepped = clock_watch_.step_seen(reading) != Duration{0};
  const bool are_all_live = row.count(column + 7) == static_cast<std::int64_t>(question.sessions.size());
  const std::scoped_lock lock{mutex_};
  sight_.reset();
  // Rows are moved along with the clock by who meets that in a transaction.
  if (has_stepped || question.writes != writes_ || reading.after - reading.before > answer_time_max) return;
  sight_ = {.now = reading.now,
            .zone_edition = static_cast<ZoneEdition>(row.count(column + 2)),
            .next_wake = row.instant_if(column + 3),
            .first_lease_end = row.instant_if(column + 4),
            .has_waiting = !row.is_null(column + 5),
            .has_ended_sessions = row.flag(column + 6)};
  // The database has looked at its clock at some moment before the answer was here.
  seen_at_ = reading.after;
  live_.clear();
  // Which of them is over is not known: those that go on add themselves again.
  if (!are_all_live) sessions_.clear();
  if (are_all_live) live_ = {question.sessions.begin(), question.sessions.end()};
  first_live_end_ = row.instant_if(column + 8);
}

void IdleLook::forget() {
  const std::scoped_lock lock{mutex_};
  ++writes_;
  sight_.reset();
}

void IdleLook::add_session(SessionId session) {
  const std::scoped_lock lock{mutex_};
  sessions_.insert(session);
}

void IdleLook::remove_session(SessionId session) {
  const std::scoped_lock lock{mutex_};
  sessions_.erase(session);
  live_.erase(session);
}

std::optional<IdleLook::Sight> IdleLook::sight() {
  const std::scoped_lock lock{mutex_};
  const Duration age = clock_.since_boot() - seen_at_;
  if (!sight_ || age > good_for_) return std::nullopt;
  Sight seen = *sight_;
  seen.now += age;
  return seen;
}

bool IdleLook::is_live(SessionId session, Instant now) {
  const std::scoped_lock lock{mutex_};
  return live_.contains(session) && first_live_end_ && *first_live_end_ > now;
}

}  // namespace carillon::postgres
