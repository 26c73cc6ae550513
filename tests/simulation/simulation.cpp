#include "simulation/simulation.hpp"

#include "simulation/chronicle.hpp"
#include "simulation/client.hpp"
#include "simulation/draw.hpp"
#include "simulation/export.hpp"
#include "simulation/invariants/evidence.hpp"
#include "simulation/process.hpp"
#include "simulation/progress_watch.hpp"
#include "simulation/tallying.hpp"
#include "simulation/world_store.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace carillon::simulation {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Duration check_period = hours{4};

bool is_large_step(const Fault& fault) { return std::chrono::abs(fault.size) >= hours{1}; }

std::optional<EditionZones> second_zones(const Plan& plan) {
  const auto has_change = [](const Fault& fault) { return fault.kind == FaultKind::zone_change; };
  if (std::ranges::none_of(plan.faults, has_change)) return std::nullopt;
  Draw draw{key_of(plan.seed, "second edition")};
  const auto name = draw.one_of<std::string_view>({"Europe/Berlin", "America/New_York", "Australia/Lord_Howe"});
  return std::optional<EditionZones>{std::in_place, std::string{name}, plan.begin + plan.troubled / 2,
                                     draw.one_of<std::int32_t>({3600, -3600, 1800})};
}

/// One world with everything in it.
class Simulation {
 public:
  Simulation(const Plan& plan, const RunOptions& options)
      : plan_{plan},
        options_{options},
        world_{plan.begin},
        faults_{world_, plan.seed, outcome_.tally},
        second_zones_{second_zones(plan)},
        store_{options.store, world_.store_clock(), plan.seed},
        store_bug_{planted(Bug::Place::before_store, store_.ports())},
        chronicle_{store_bug_ ? store_bug_->ports() : store_.ports(),
                   world_,
                   editions(),
                   outcome_.tally,
                   outcome_.findings,
                   [this] { poke_all(); }},
        bug_{planted(Bug::Place::before_servers, chronicle_.ports())},
        around_{plan_, world_, faults_, records_, outcome_.tally, [this] { return chronicle_.has_open_runs(); }},
        client_{around_, processes_},
        watch_{world_, store_.ports(), chronicle_, outcome_.findings} {}

  Outcome run() {
    make_processes();
    for (const PlannedCall& call : plan_.calls) world_.at(plan_.begin + call.at, [this, &call] { client_.call(call); });
    for (const Fault& fault : plan_.faults) world_.at(plan_.begin + fault.at, [this, &fault] { begin(fault); });
    world_.at(plan_.begin + plan_.troubled, [this] { heal(); });
    watch_later();
    check_later();
    world_.run_until(plan_.begin + plan_.troubled);
    world_.run_until(healed_at() + plan_.healed);
    conclude();
    return std::move(outcome_);
  }

 private:
  std::unique_ptr<PassingStore> planted(Bug::Place place, Ports below) const {
    if (options_.bug == nullptr || options_.bug->place != place) return nullptr;
    return options_.bug->make(below);
  }

  std::vector<EditionZones*> editions() {
    std::vector<EditionZones*> zones{&first_zones_};
    if (second_zones_) zones.push_back(&*second_zones_);
    return zones;
  }

  void make_processes() {
    const auto is_server = [](const PlannedActor& actor) { return actor.is_server; };
    const auto server_count = static_cast<std::uint32_t>(std::ranges::count_if(plan_.actors, is_server));
    std::uint32_t index = 0;
    for (const PlannedActor& actor : plan_.actors) {
      const ServerShare share{.index = actor.is_server ? index++ : 0, .count = std::max(server_count, 1U)};
      add_process(actor, share);
    }
  }

  void add_process(const PlannedActor& actor, ServerShare share) {
    processes_.push_back(std::make_unique<Process>(
        around_, actor, bug_ ? bug_->ports() : chronicle_.ports(), [this](Uid uid) { return chronicle_.id_of(uid); },
        share, first_zones_));
    processes_.back()->start();
  }

  Process* process(int number) {
    const auto found = std::ranges::find(processes_, number, [](const auto& one) { return one->number(); });
    return found == processes_.end() ? nullptr : found->get();
  }

  void stop() {
    if (!options_.goes_on) world_.stop();
  }

  void poke_all() {
    for (const auto& one : processes_) one->poke();
    if (!outcome_.findings.violations().empty()) stop();
  }

  void begin(const Fault& fault) {
    faults_.begin(fault);
    store_.begin(fault);
    world_.after(fault.length, [this, &fault] { end(fault); });
    Process* const target = process(fault.actor);
    switch (fault.kind) {
      case FaultKind::crash:
        // Some die without being in a call.
        if (target != nullptr && Draw{key_of(plan_.seed, "idle crash", fault.number)}.chance(0.3)) target->crash();
        break;
      case FaultKind::clock_step: set_clock(fault.size); break;
      case FaultKind::suspend: world_.suspend(fault.length); break;
      case FaultKind::zone_change: hand_out_zones(fault); break;
      default: break;
    }
  }

  void end(const Fault& fault) {
    if (healed_at_) return;
    faults_.end(fault.number);
    store_.end(fault);
    Process* const target = process(fault.actor);
    if (fault.kind == FaultKind::crash && target != nullptr) target->start();
    if (fault.kind == FaultKind::clock_step && is_large_step(fault)) set_clock(-fault.size);
  }

  void set_clock(Duration step) {
    if (std::chrono::abs(step) >= hours{1}) wrong_by_ += step;
    world_.set_store_clock(step);
    poke_all();
  }

  void hand_out_zones(const Fault& fault) {
    for (const auto& one : processes_)
      world_.after(Draw{key_of(plan_.seed, "zones", one->number())}.duration(Duration{0}, fault.length),
                   [this, target = one.get()] { target->give_zones(*second_zones_); });
  }

  // A world that stands still then is healed when it wakes up.
  Instant healed_at() const { return healed_at_.value_or(plan_.begin + plan_.troubled); }

  void heal() {
    healed_at_ = world_.now();
    faults_.heal();
    store_.heal();
    if (wrong_by_ != Duration{0}) world_.set_store_clock(-std::exchange(wrong_by_, Duration{0}));
    for (const auto& one : processes_) {
      if (second_zones_) one->give_zones(*second_zones_);
      one->heal();
    }
    // From now on there is room for whatever waits.
    add_process(helper_, {});
    if (second_zones_) processes_.back()->give_zones(*second_zones_);
    note_set_aside();
  }

  void note_set_aside() {
    const auto page = store_.ports().schedules.read_page(Uid{}, 1'000).value();
    for (const ScheduleView& view : page.views) {
      const auto retry_at = view.state.wake;
      // One that was set aside under a clock ahead of this one is woken by whoever sees that it was set back.
      const bool is_later = retry_at && *retry_at > page.store_now && *retry_at <= page.store_now + minutes{1};
      if (is_later && store_.ports().schedules.read_quarantine(view.state.uid).value())
        set_aside_.emplace(chronicle_.id_of(view.state.uid), *retry_at);
    }
  }

  void watch_later() {
    const Duration period = healed_at_ ? seconds{5} : seconds{60};
    world_.after(period, [this] {
      const auto calm_since = faults_.calm_since();
      // Workers need a moment to find out that all is well again.
      if (calm_since) watch_.look(*calm_since + minutes{1}, healed_at_.has_value());
      if (!outcome_.findings.violations().empty()) stop();
      watch_later();
    });
  }

  void check_later() {
    world_.after(check_period, [this] {
      check(false);
      check_later();
    });
  }

  Evidence evidence(bool is_final) {
    return {.plan = plan_,
            .world = world_,
            .story = chronicle_.story(),
            .records = records_,
            .store = store_.ports(),
            .is_final = is_final};
  }

  void check(bool is_final) {
    Findings found;
    check_all(evidence(is_final), found);
    if (is_final || !found.violations().empty()) outcome_.findings.add(found);
    if (!found.violations().empty()) stop();
  }

  void conclude() {
    chronicle_.compare_with_ledger();
    if (!world_.is_stopped()) check(true);
    tally_story(evidence(true), outcome_.tally);
    outcome_.trace = chronicle_.trace_hash();
    outcome_.simulated = world_.now() - plan_.begin;
    outcome_.writes = chronicle_.step_count();
    outcome_.decisions = std::ssize(chronicle_.story().decisions);
    outcome_.launches = std::ssize(records_.witness);
    // Whoever stood still when all was healed wakes up later.
    const Instant all_well = std::max(healed_at(), faults_.calm_since().value_or(healed_at()));
    if (!options_.export_folder.empty())
      export_records(evidence(true), {.at = all_well, .set_aside = set_aside_}, options_.export_folder);
  }

  const Plan& plan_;
  const RunOptions& options_;
  Outcome outcome_;
  World world_;
  FaultBoard faults_;
  Records records_;
  EditionZones first_zones_;
  std::optional<EditionZones> second_zones_;
  WorldStore store_;
  std::unique_ptr<PassingStore> store_bug_;
  Chronicle chronicle_;
  std::unique_ptr<PassingStore> bug_;
  Surroundings around_;
  std::vector<std::unique_ptr<Process>> processes_;
  Client client_;
  ProgressWatch watch_;
  const PlannedActor helper_{.number = 99,
                             .is_server = false,
                             .lease = seconds{30},
                             .capacity = 100'000,
                             .queues = {"@command", "@http", "default", "reports"}};
  Duration wrong_by_{0};
  std::optional<Instant> healed_at_;
  std::map<std::string, Instant> set_aside_;
};

}  // namespace

Outcome simulate(const Plan& plan, const RunOptions& options) { return Simulation{plan, options}.run(); }

}  // namespace carillon::simulation
