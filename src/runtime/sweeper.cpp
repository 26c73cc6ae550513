#include "runtime/sweeper.hpp"

#include "base/mix.hpp"
#include "definitions/schedule_document.hpp"
#include "document/document.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <set>
#include <utility>

namespace carillon {
namespace {

using std::chrono::days;
using std::chrono::minutes;

constexpr Duration sweep_period = minutes{1};
/// How much longer it rests than it works while there is something to do.
constexpr int rest_factor = 4;
constexpr const char* sweeper_lock = "@sweeper";
/// After a holder that died another one goes on.
constexpr Duration sweeper_lock_ttl = minutes{5};
constexpr std::size_t keeps_max = 100'000;
/// Logs that wait to be removed together.
constexpr std::size_t old_logs_max = 100'000;
/// Deleted schedules that are looked at in one round; the others come with the next.
constexpr std::size_t deleted_max = 10'000;
/// No schedule keeps its lines for less, so that younger ones need no look at their schedule.
constexpr Duration kept_min = days{1};

/// About every sixteenth run gives cause to look for details that may go: a look costs as much as the schedule keeps
/// runs, and then finds several. By a hash, since seqs of one schedule may all have the same distance.
bool is_cause_to_look(Seq run) { return spread(static_cast<std::uint64_t>(run)) >> 60 == 0; }

}  // namespace

Sweeper::Sweeper(Retention& retention, ScheduleStore& schedules, LogStore* logs, Clock& clock, Log& log,
                 SweeperOptions options)
    : retention_{retention},
      schedules_{schedules},
      logs_{logs},
      clock_{clock},
      log_{log},
      options_{std::move(options)} {}

Result<Policies::Keep> Sweeper::keep_of(Uid uid) {
  if (uid == Uid{}) return Policies::Keep{};
  if (const auto known = keeps_.find(uid); known != keeps_.end()) return known->second;
  // The newest definition: who keeps less from now on means the past too.
  const DefinitionName newest{.uid = uid, .revision = std::numeric_limits<std::int64_t>::max()};
  const auto stored = TRY(schedules_.read_definitions(std::span{&newest, 1}));
  Policies::Keep keep;
  if (stored.at(0)) {
    const auto document = read_canonical_schedule(TRY(parse_json(stored[0]->document)));
    if (document) keep = document->policies.keep;
  }
  if (keeps_.size() >= keeps_max) keeps_.clear();
  keeps_.emplace(uid, keep);
  return keep;
}

Result<> Sweeper::remove_logs(Uid uid, const std::vector<Seq>& runs) {
  return logs_ == nullptr || runs.empty() ? Result<>{} : logs_->remove(uid, runs);
}

// Logs go first: who dies in between finds the lines again, and the logs through them.
Result<> Sweeper::forget_old(const std::vector<RetentionCandidate>& lines, Instant now) {
  std::vector<Seq> old;
  std::map<Uid, std::vector<Seq>> runs;
  for (const RetentionCandidate& line : lines) {
    const bool may_go = line.may_go && line.at <= now - kept_min && line.at <= now - days{TRY(keep_of(line.uid)).days};
    if (!may_go) {
      deleted_.erase(line.uid);
      continue;
    }
    old.push_back(line.seq);
    if (line.has_run) runs[line.uid].push_back(line.seq);
  }
  for (const auto& [uid, seqs] : runs) TRY(remove_logs(uid, seqs));
  return old.empty() ? Result<>{} : retention_.forget_lines(old);
}

Result<> Sweeper::forget_details(const std::vector<RetentionCandidate>& lines) {
  std::set<Uid> schedules;
  for (const RetentionCandidate& line : lines)
    if (line.has_run && line.uid != Uid{} && is_cause_to_look(line.seq)) schedules.insert(line.uid);
  for (const Uid uid : schedules) {
    const PrunableRuns beyond = TRY(retention_.read_prunable_runs(uid, TRY(keep_of(uid)).runs));
    if (beyond.newest == Seq{}) continue;
    if (logs_ != nullptr) TRY(logs_->trim(uid, beyond.newest, old_logs_size_max));
    TRY(retention_.forget_details(uid, beyond));
  }
  return {};
}

// A line that may go is not among the newest runs that its schedule keeps. Jobs have no others to be counted with:
// their logs go with their lines.
Result<> Sweeper::forget_old_logs(const std::vector<RetentionCandidate>& lines, Instant now) {
  for (const RetentionCandidate& line : lines) {
    if (line.uid == Uid{} || !line.may_go || !line.ended || line.at > now - log_kept_for(*line.ended)) continue;
    old_logs_[line.uid].push_back(line.seq);
    ++old_log_count_;
  }
  return old_log_count_ >= old_logs_max ? remove_old_logs() : Result<>{};
}

Result<> Sweeper::remove_old_logs() {
  old_log_count_ = 0;
  for (const auto& [uid, runs] : std::exchange(old_logs_, {})) TRY(remove_logs(uid, runs));
  return {};
}

Result<> Sweeper::begin_round(Instant now) {
  deleted_.clear();
  Uid last{};
  for (;;) {
    const auto page = TRY(retention_.read_deleted(last, options_.page));
    for (const DeletedSchedule& schedule : page)
      if (schedule.deleted_at <= now - kept_min && schedule.deleted_at <= now - days{TRY(keep_of(schedule.uid)).days})
        deleted_.insert(schedule.uid);
    if (page.size() < options_.page || deleted_.size() >= deleted_max) return {};
    last = page.back().uid;
  }
}

// Their lines have gone with the pages of this round.
Result<> Sweeper::forget_deleted() {
  while (!deleted_.empty()) {
    TRY(retention_.forget_schedule(*deleted_.begin()));
    deleted_.erase(deleted_.begin());
  }
  return {};
}

Result<std::size_t> Sweeper::sweep_page(Instant now) {
  if (!is_round_begun_) TRY(begin_round(now));
  is_round_begun_ = true;
  const auto lines = TRY(retention_.read_lines(position_, options_.page));
  TRY(forget_details(lines));
  TRY(forget_old_logs(lines, now));
  TRY(forget_old(lines, now));
  if (!lines.empty()) position_ = lines.back().seq;
  if (lines.size() < options_.page) {
    TRY(remove_old_logs());
    TRY(forget_deleted());
  }
  return lines.size();
}

bool Sweeper::is_its_turn() {
  if (options_.locks == nullptr) return true;
  if (is_holder_) {
    const auto extended = options_.locks->extend_lock(sweeper_lock, options_.lock_token, sweeper_lock_ttl);
    is_holder_ = extended && extended->has_value();
    if (is_holder_) return true;
  }
  const auto attempt = options_.locks->acquire_lock(
      {.name = sweeper_lock, .token = options_.lock_token, .owner = "sweeper", .ttl = sweeper_lock_ttl});
  is_holder_ = attempt && attempt->is_acquired;
  return is_holder_;
}

Duration Sweeper::tick() {
  const Duration begin = clock_.since_boot();
  if (!is_its_turn()) return begin + sweep_period;
  if (!round_began_ || begin >= *round_began_ + options_.round_period) {
    round_began_ = begin;
    position_ = Seq{};
    keeps_.clear();
    is_round_begun_ = false;
  }
  const auto count = sweep_page(clock_.now());
  const Duration end = clock_.since_boot();
  if (!count) {
    if (std::exchange(last_error_, count.error().message) != count.error().message)
      log_.warn("old runs cannot be deleted", {{"error", count.error().message}});
    return end + sweep_period;
  }
  last_error_.reset();
  return *count < options_.page ? end + sweep_period : end + rest_factor * (end - begin);
}

}  // namespace carillon
