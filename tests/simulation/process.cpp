#include "simulation/process.hpp"

#include "simulation/draw.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace carillon::simulation {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t batch_of_few = 3;
constexpr std::size_t batch_of_many = 50;
/// A loop polls every second. Polls between two writes see nothing new, so only the first one after a write is made,
/// and as many as are needed to count as being there.
constexpr Duration poll_period = seconds{1};
constexpr Duration presence_period = outage_min - poll_period;
/// How often a worker is called that has something to do: several times in the shortest lease.
constexpr Duration busy_period = milliseconds{2'500};

DeciderOptions decider_options(ServerShare share, std::function<std::int64_t()> server_number) {
  // One that is alone reads the next batch before the last is written: with small ones that happens often.
  return {.batch = share.count == 1 ? batch_of_few : batch_of_many,
          .share = share,
          .is_clock_synchronised = {},
          .threads = DeciderOptions::Threads::alone,
          .server_number = std::move(server_number)};
}

}  // namespace

Process::Services::Services(Process& process)
    : store{process.store_.ports(), process.around_, process,
            [&process](const QueuedRun& run) { process.tell_again(run); }},
      definitions{store, process.zones_},
      attempts{process.clock(), process.log_, {.store_time = StoreTime::Source::own_clock}},
      executor{process.around_,  process,
               process.planned_, fmt::format("w{}-{}", process.planned_.number, process.life()),
               attempts,         [&process] { process.call_at(process.working_, process.around_.world.now()); }},
      worker{
          {.store = store,
           .queue = store,
           .definitions = definitions,
           .clock = process.clock(),
           .log = process.log_,
           .attempts = attempts,
           .executors = {{ActionKind::command, executor}, {ActionKind::http, executor}, {ActionKind::job, executor}}},
          {.session = {.name = fmt::format("w{}-{}", process.planned_.number, process.life()),
                       .queues = process.planned_.queues,
                       .capacity = process.planned_.capacity,
                       .lease = process.planned_.lease}}} {
  if (!process.is_server()) return;
  // The numbers tell lives of the same server apart.
  const auto server_number = [&process] { return process.planned_.number * 1'000'000 + ++process.context_count_; };
  decider.emplace(store, store, definitions, process.clock(), process.log_,
                  process.planned_.claims_in_commit ? &worker.session() : nullptr,
                  decider_options(process.share_, server_number));
  rescuer.emplace(store, store, definitions, decider->clock_watch(), process.clock(), process.log_);
  commands.emplace(
      store, store, definitions, [this] { worker.session().look_for_stops(); },
      [this, &process](Instant store_now) {
        auto checked = decider->check_clock(store_now);
        if (!checked) process.around_.tally.add(Sometimes::change_refused_by_held_clock);
        return checked;
      },
      server_number);
}

Process::Process(Surroundings& surroundings, const PlannedActor& planned, Ports store,
                 std::function<std::string(Uid)> id_of, ServerShare share, EditionZones& zones)
    : Actor{surroundings.world, planned.number},
      around_{surroundings},
      planned_{planned},
      store_{store, surroundings.world, surroundings.faults, *this, std::move(id_of)},
      share_{share},
      zones_{zones},
      log_{surroundings.tally},
      deciding_{.lane = Lane::deciding,
                .tick = [this] { return services_->decider->tick(); },
                .later = [this](Instant wanted) { return next_decision(wanted); }},
      working_{.lane = Lane::working,
               .tick = [this] { return services_->worker.tick(); },
               .later = [this](Instant wanted) { return next_work(wanted); }},
      rescuing_{.lane = Lane::deciding,
                .tick = [this] { return services_->rescuer->tick(); },
                .later = [this](Instant wanted) { return next_rescue(wanted); }} {}

void Process::give_zones(EditionZones& zones) {
  zones_.switch_to(zones);
  // Of a server, its decider looks for new rules.
  if (!is_server()) (void)zones_.refresh();
  poke();
}

void Process::heal() {
  is_healed_ = true;
  start();
  poke();
}

bool Process::is_clock_doubted() const {
  const auto first_look = services_ ? services_->store.first_look() : std::nullopt;
  // Whichever of the earlier steps it has believed, or slept through, the newest ones leave it far off.
  const auto& steps = around_.world.steps();
  Duration wrong_by{0};
  bool is_far_off = false;
  for (auto step = steps.rbegin(); step != steps.rend() && first_look && step->time > *first_look; ++step) {
    if (step == steps.rbegin() && step->time + clock_hold <= around_.world.now()) return false;
    wrong_by += step->size;
    is_far_off = wrong_by > clock_step_held || wrong_by < -clock_step_held;
    if (!is_far_off) return false;
  }
  return is_far_off;
}

void Process::on_start() {
  services_ = std::make_unique<Services>(*this);
  for (Loop* loop : {&deciding_, &working_, &rescuing_}) loop->next.reset();
  call_at(working_, around_.world.now());
  if (!is_server()) return;
  call_at(deciding_, around_.world.now());
  call_at(rescuing_, around_.world.now());
}

void Process::on_crash() { services_->executor.die(); }

void Process::on_buried() {
  services_.reset();
  // The call in which it died had begun before all was healed.
  if (is_healed_) around_.world.after(Duration{0}, [this] { start(); });
}

void Process::poke() {
  if (!is_alive()) return;
  const Duration phase = milliseconds{planned_.number * 137};
  const auto since = (around_.world.now() - phase).time_since_epoch() % poll_period;
  const Instant time = around_.world.now() + (poll_period - since);
  call_at(working_, time);
  if (!is_server()) return;
  call_at(deciding_, time);
  if (around_.has_open_runs()) call_at(rescuing_, time);
}

void Process::call_at(Loop& loop, Instant time) {
  if (loop.next && *loop.next <= time) return;
  loop.next = time;
  around_.world.at(time, [this, &loop, current = life(), time] {
    if (!is_alive() || life() != current || loop.next != time) return;
    loop.next.reset();
    perform(loop.lane, [this, &loop] { turn(loop); });
  });
}

void Process::turn(Loop& loop) {
  services_->store.begin_turn();
  const Duration wanted = loop.tick();
  const Instant now = around_.world.now();
  // One that wants to be called again at once, again and again, gets nowhere.
  const Duration delay = wanted - clock().since_boot();
  loop.idle_turns = delay > Duration{0} ? 0 : std::min(loop.idle_turns + 1, 10);
  const Instant at = now + std::max<Duration>(delay, milliseconds{1 << loop.idle_turns});
  if (const auto next = loop.later(at)) call_at(loop, std::max(*next, now + milliseconds{1}));
  // What was claimed inside a commit is for the worker.
  const bool has_committed = &loop == &deciding_ && services_->store.has_committed();
  if (has_committed && planned_.claims_in_commit) call_at(working_, now);
}

std::optional<Instant> Process::next_decision(Instant wanted) const {
  const Instant now = around_.world.now();
  const Instant wake = services_->store.next_wake().value_or(now + presence_period);
  // What has come due and could not be decided is tried again with the next poll.
  return wanted < now + poll_period || wake <= now ? wanted : std::min(wake, now + presence_period);
}

std::optional<Instant> Process::next_work(Instant wanted) {
  const Instant now = around_.world.now();
  LeasedSession& session = services_->worker.session();
  if (wanted < now + poll_period || !session.is_open() || session.has_uncertain_claims()) return wanted;
  if (!services_->worker.is_idle()) return now + std::min(busy_period, planned_.lease / 4);
  // An idle worker may let its session end: its next turn opens a new one.
  const auto claimable = services_->store.next_claimable();
  return claimable && *claimable <= now ? wanted : claimable;
}

std::optional<Instant> Process::next_rescue(Instant wanted) const {
  const bool may_find_something = around_.has_open_runs() || !services_->decider->clock_watch().has_been_believed();
  return may_find_something ? std::optional{wanted} : std::nullopt;
}

void Process::tell_again(const QueuedRun& run) {
  const auto luck = key_of(around_.plan.seed, "again", static_cast<std::int64_t>(run.seq), run.run.attempt);
  if (!around_.faults.strikes(FaultKind::repeated_completions, number(), luck)) return;
  around_.world.after(milliseconds{5}, [this, current = life(), run] {
    if (!is_alive() || life() != current) return;
    perform(Lane::working, [this, run] {
      const auto outcome = Draw{key_of(around_.plan.seed, "other", static_cast<std::int64_t>(run.seq))}.chance(0.5)
                               ? AttemptOutcome::failed
                               : AttemptOutcome::succeeded;
      const Finish other{.run = run, .end = {.outcome = outcome}};
      RunFinisher finisher{store_, *services_->definitions.now()};
      const auto written = finisher.finish({&other, 1});
      if (written && written->front() == RunWritten::refused) around_.tally.add(Sometimes::repeated_result_refused);
    });
  });
}

}  // namespace carillon::simulation
