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
  const std::int64_t name = planned_.number * 1'000'000 + ++context_count_;
  EditionContext context;
  context.definitions = std::make_unique<DefinitionCache>(store_, *zones_, edition_);
  if (is_server())
    context.scheduling = std::make_unique<Scheduling>(store_, *context.definitions, name, [this](Instant store_now) {
      auto checked = watch_->check({.store_now = store_now, .since_boot = since_boot()});
      if (!checked) around_.tally.add(Sometimes::change_refused_by_held_clock);
      return checked;
    });
  context.finisher = std::make_unique<RunFinisher>(store_, *context.definitions);
  context_ = std::move(context);
}

Duration Process::since_boot() const { return around_.world.now().time_since_epoch(); }

bool Process::is_clock_doubted() const {
  // Whichever of the earlier steps it has believed, or slept through, the newest ones leave it far off.
  const auto& steps = around_.world.steps();
  Duration wrong_by{0};
  bool is_far_off = false;
  for (auto step = steps.rbegin(); step != steps.rend() && first_look_ && step->time > *first_look_; ++step) {
    if (step == steps.rbegin() && step->time + clock_hold <= around_.world.now()) return false;
    wrong_by += step->size;
    is_far_off = wrong_by > clock_step_held || wrong_by < -clock_step_held;
    if (!is_far_off) return false;
  }
  return is_far_off;
}

void Process::on_start() {
  watch_.emplace();
  first_look_.reset();
  present_since_.reset();
  has_stepped_ = has_been_halted_ = false;
  make_mind();
  worker_.begin(store_, *context_->finisher, *context_->definitions);
  must_adopt_ = must_reopen_ = is_server();
  next_note_ = next_maintenance_ = around_.world.now();
  next_tick_.reset();
  tick_at(around_.world.now());
}

void Process::on_crash() {
  worker_.end();
  next_tick_.reset();
}

void Process::on_buried() { context_.reset(); }

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
  const Instant began = around_.world.now();
  if (!is_server()) take_up_zones();
  if (is_server()) {
    if (watch_clock()) {
      take_up_zones();
      if (reopen_future()) decide();
    }
    run_maintenance();
  }
  if (const auto next = worker_.tick()) want(*next);
  // Who stands still in a call does not look at what comes due meanwhile.
  has_been_halted_ |= around_.world.now() - began > outage_min;
  if (wanted_) tick_at(std::max(*wanted_, around_.world.now() + milliseconds{1}));
}

void Process::take_up_zones() {
  if (!must_adopt_) return;
  if (context_->definitions->edition() != edition_) {
    // Whatever a child or a report still holds on to moves along.
    make_mind();
    worker_.move_to(*context_->finisher, *context_->definitions);
  }
  must_adopt_ = false;
  if (!is_server()) return;
  const auto adopted = context_->scheduling->adopt_zone_rules();
  if (!adopted) {
    must_adopt_ = true;
    return want(around_.world.now() + seconds{1});
  }
  if (*adopted > 0 && edition_ == second_edition) around_.tally.add(Sometimes::zone_rules_adopted);
}

bool Process::watch_clock() {
  const auto head = store_.read_page(Uid{}, 0);
  const Instant now = around_.world.now();
  if (!head) {
    has_been_halted_ = true;
    want(now + seconds{1});
    return false;
  }
  const auto verdict = watch_->look({.store_now = head->store_now, .since_boot = since_boot()},
                                    first_look_ ? instant_min : head->decided_at.value_or(instant_min));
  if (!first_look_) first_look_ = now;
  newest_seen_ = std::max(newest_seen_, head->store_now);
  has_stepped_ |= verdict != ClockWatch::Verdict::steady;
  must_reopen_ |= verdict == ClockWatch::Verdict::went_back;
  if (verdict == ClockWatch::Verdict::held) {
    around_.tally.add(Sometimes::clock_held);
    want(now + seconds{1});
    return false;
  }
  if (note_presence(head->store_now)) return true;
  has_been_halted_ = true;
  want(now + seconds{1});
  return false;
}

bool Process::note_presence(Instant store_now) {
  const Instant now = around_.world.now();
  const bool has_been_away = !present_since_ || has_stepped_ || has_been_halted_;
  if (!has_been_away && now < next_note_) return true;
  const OutageCause cause = !present_since_ ? OutageCause::down
                            : has_stepped_  ? OutageCause::clock
                                            : OutageCause::halted;
  if (!context_->scheduling->note_deciding({.since = has_been_away ? store_now : *present_since_, .cause = cause}))
    return false;
  if (has_been_away) present_since_ = store_now;
  has_stepped_ = has_been_halted_ = false;
  next_note_ = now + seconds{2};
  return true;
}

bool Process::reopen_future() {
  if (!must_reopen_) return true;
  const auto store_now = store_.store_now();
  if (store_now && context_->scheduling->reopen_future(newest_seen_)) {
    must_reopen_ = false;
    newest_seen_ = *store_now;
    return true;
  }
  want(around_.world.now() + seconds{1});
  return false;
}

void Process::decide() {
  // As the decider does it: what comes next is read before this has been written.
  const bool looks_ahead = share_.count == 1;
  RoundLimits limits{.count_max = looks_ahead ? batch_of_few : batch_of_many, .share = share_};
  std::optional<Result<PreparedBatch>> ahead;
  for (int i = 0; i < rounds_max; ++i) {
    const auto claim = planned_.claims_in_commit ? worker_.claim_request() : std::nullopt;
    const Instant sent = around_.world.now();
    auto prepared = ahead ? std::move(*ahead) : context_->scheduling->prepare_due(limits);
    ahead.reset();
    if (looks_ahead && prepared && prepared->round.has_more) {
      limits.after = prepared->last;
      ahead = context_->scheduling->prepare_due(limits);
      around_.tally.add(Sometimes::decided_while_others_are_written);
    }
    auto round = prepared ? context_->scheduling->write_due(*std::move(prepared), claim)
                          : Result<Round>{std::unexpected(prepared.error())};
    if (!round) {
      has_been_halted_ = true;
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

void Process::run_maintenance() {
  const Instant now = around_.world.now();
  if (now >= next_maintenance_) {
    const bool is_done =
        context_->finisher->end_lost(100).has_value() && context_->finisher->end_expired(100).has_value();
    next_maintenance_ = around_.world.now() + (is_done ? housekeeping_period : Duration{seconds{1}});
  }
  if (around_.has_open_runs()) want(next_maintenance_);
}

}  // namespace carillon::simulation
