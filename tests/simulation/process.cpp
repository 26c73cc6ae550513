#include "simulation/process.hpp"

#include <algorithm>
#include <chrono>

namespace carillon::simulation {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Duration housekeeping_period = seconds{5};
constexpr int rounds_max = 8;
constexpr std::size_t batch_of_few = 3;
constexpr std::size_t batch_of_many = 50;

}  // namespace

Process::Process(Surroundings& surroundings, const PlannedActor& planned, Ports store,
                 std::function<std::string(Uid)> id_of, ServerShare share)
    : Actor{surroundings.world, planned.number},
      around_{surroundings},
      planned_{planned},
      store_{store, surroundings.faults, *this, std::move(id_of)},
      share_{share},
      worker_{surroundings, *this, planned} {}

void Process::give_zones(EditionZones& zones, ZoneEdition edition) {
  zones_ = &zones;
  edition_ = edition;
  must_adopt_ = true;
  poke();
}

void Process::heal() {
  worker_.widen();
  start();
  poke();
}

void Process::make_mind() {
  // One cache belongs to one edition of the zone rules; the numbers tell lives of the same server apart.
  const std::int64_t name = planned_.number * 1'000'000 + ++mind_count_;
  Mind mind;
  mind.definitions = std::make_unique<DefinitionCache>(store_, *zones_, edition_);
  if (is_server()) mind.scheduling = std::make_unique<Scheduling>(store_, *mind.definitions, name);
  mind.desk = std::make_unique<RunDesk>(store_, *mind.definitions);
  mind_ = std::move(mind);
}

void Process::on_start() {
  make_mind();
  worker_.begin(store_, *mind_->desk, *mind_->definitions);
  must_adopt_ = must_reopen_ = is_server();
  clock_seen_.reset();
  held_until_ = next_housekeeping_ = around_.world.now();
  next_tick_.reset();
  tick_at(around_.world.now());
}

void Process::on_crash() {
  worker_.end();
  next_tick_.reset();
}

void Process::on_buried() { mind_.reset(); }

// A real loop polls every second. Polls between two writes see nothing new, so only the first one after a write is
// made.
void Process::poke() {
  if (!is_alive()) return;
  const Duration phase = milliseconds{planned_.number * 137};
  const auto since = (around_.world.now() - phase).time_since_epoch() % seconds{1};
  tick_at(around_.world.now() + (Duration{seconds{1}} - since));
}

void Process::tick_at(Instant time) {
  if (next_tick_ && *next_tick_ <= time) return;
  next_tick_ = time;
  around_.world.at(time, [this, current = life(), time] {
    if (!is_alive() || life() != current || next_tick_ != time) return;
    next_tick_.reset();
    perform([this] { tick(); });
  });
}

void Process::want(Instant time) { wanted_ = std::min(wanted_.value_or(time), time); }

void Process::tick() {
  wanted_.reset();
  take_up_zones();
  if (is_server()) {
    if (watch_clock()) decide();
    keep_house();
  }
  if (const auto next = worker_.tick()) want(*next);
  if (wanted_) tick_at(std::max(*wanted_, around_.world.now() + milliseconds{1}));
}

void Process::take_up_zones() {
  if (!must_adopt_) return;
  if (mind_->definitions->edition() != edition_) {
    // Whatever a child or a report still holds on to moves along.
    make_mind();
    worker_.move_to(*mind_->desk, *mind_->definitions);
  }
  must_adopt_ = false;
  if (!is_server()) return;
  const auto adopted = mind_->scheduling->adopt_zone_rules();
  if (!adopted) {
    must_adopt_ = true;
    return want(around_.world.now() + seconds{1});
  }
  if (*adopted > 0 && edition_ == second_edition) around_.tally.add(Sometimes::zone_rules_adopted);
}

bool Process::watch_clock() {
  const auto store_now = store_.store_now();
  const Instant now = around_.world.now();
  if (!store_now) {
    want(now + seconds{1});
    return false;
  }
  if (clock_seen_) {
    const Duration jump = (*store_now - clock_seen_->second) - (now - clock_seen_->first);
    if (jump > hours{1}) {
      held_until_ = now + seconds{60};
      around_.tally.add(Sometimes::clock_held);
    }
    if (jump < Duration{0}) {
      must_reopen_ = true;
      held_until_ = now;
    }
  }
  clock_seen_.emplace(now, *store_now);
  newest_seen_ = std::max(newest_seen_, *store_now);
  if (must_reopen_ && mind_->scheduling->reopen_future(newest_seen_)) {
    must_reopen_ = false;
    newest_seen_ = *store_now;
  }
  if (must_reopen_) want(now + seconds{1});
  if (around_.world.now() >= held_until_) return true;
  want(held_until_);
  return false;
}

void Process::decide() {
  // As the decider does it: what comes next is read before this has been written.
  const bool looks_ahead = share_.count == 1;
  RoundLimits limits{.count_max = looks_ahead ? batch_of_few : batch_of_many, .share = share_};
  std::optional<Result<Prepared>> ahead;
  for (int i = 0; i < rounds_max; ++i) {
    const auto claim = planned_.claims_in_commit ? worker_.claim_request() : std::nullopt;
    const Instant sent = around_.world.now();
    auto prepared = ahead ? std::move(*ahead) : mind_->scheduling->prepare_due(limits);
    ahead.reset();
    if (looks_ahead && prepared && prepared->round.has_more) {
      limits.after = prepared->last;
      ahead = mind_->scheduling->prepare_due(limits);
      around_.tally.add(Sometimes::decided_while_others_are_written);
    }
    auto round = prepared ? mind_->scheduling->write_due(*std::move(prepared), claim)
                          : Result<Round>{std::unexpected(prepared.error())};
    if (!round) {
      worker_.doubt();
      return want(around_.world.now() + seconds{1});
    }
    if (claim && round->written > 0) worker_.doubt();
    if (round->refused > 0) around_.tally.add(Sometimes::stale_commit_refused);
    if (!round->claimed.empty()) around_.tally.add(Sometimes::claimed_inside_commit);
    worker_.take(round->claimed);
    if (round->has_more || std::exchange(limits.after, {})) continue;
    if (round->next_wake)
      want(std::max(sent + (*round->next_wake - round->store_now), around_.world.now() + overdue_for_all));
    if (round->refused > 0) want(around_.world.now() + seconds{1});
    return;
  }
  want(around_.world.now());
}

void Process::keep_house() {
  const Instant now = around_.world.now();
  if (now >= next_housekeeping_) {
    const bool is_done = mind_->desk->end_lost(100).has_value() && mind_->desk->end_expired(100).has_value();
    next_housekeeping_ = around_.world.now() + (is_done ? housekeeping_period : Duration{seconds{1}});
  }
  if (around_.has_open_runs()) want(next_housekeeping_);
}

}  // namespace carillon::simulation
