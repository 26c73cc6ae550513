#include "base/mix.hpp"
#include "schedule_machine/history.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace carillon::testing {
namespace {

using namespace std::chrono_literals;

constexpr std::array every_overlap{OverlapPolicy::skip,          OverlapPolicy::buffer_one,
                                   OverlapPolicy::buffer_latest, OverlapPolicy::buffer_all,
                                   OverlapPolicy::cancel_other,  OverlapPolicy::terminate_other,
                                   OverlapPolicy::allow_all};
constexpr std::array every_catchup{CatchupPolicy::latest, CatchupPolicy::all, CatchupPolicy::none};
constexpr std::array run_lengths{plan_period / 2, 3 * plan_period / 2, 7 * plan_period / 2};
// Around an occurrence: before it, with it, while its run is queued, while it runs.
constexpr std::array<Duration, 4> offsets{-100s, 0s, 10s, 100s};

struct Tally {
  std::size_t histories = 0;
  std::size_t steps = 0;
  std::vector<std::string> violations;  // the first few
};

// Plays one plan and says how many commits it had.
std::size_t play(const Plan& plan, Tally& tally) {
  History history{plan};
  history.play();
  ++tally.histories;
  tally.steps += history.step_count();
  if (history.violation() && tally.violations.size() < 5) tally.violations.push_back(*history.violation());
  return history.commit_count();
}

// The plan as it is, and with each fault at each of its commits.
void play_with_faults(Plan plan, Tally& tally) {
  const std::size_t commit_count = play(plan, tally);
  for (plan.faulty_commit = 1; plan.faulty_commit <= commit_count; ++plan.faulty_commit) {
    for (const Fault fault : {Fault::decided_twice, Fault::lost, Fault::written_late}) {
      plan.fault = fault;
      play(plan, tally);
    }
  }
}

// One command at every place of the history.
void play_everywhere(Plan plan, Tally& tally) {
  for (std::int64_t occurrence = 1; occurrence <= plan_occurrence_count; ++occurrence) {
    for (const Duration offset : offsets) {
      plan.command_at = occurrence * plan_period + offset;
      play_with_faults(plan, tally);
    }
  }
}

// Every schedule of small scope with one command.
template <typename Play>
Tally play_all(Plan plan, Play play) {
  Tally tally;
  for (const OverlapPolicy overlap : every_overlap) {
    for (const CatchupPolicy catchup : every_catchup) {
      for (const Duration length : run_lengths) {
        plan.overlap = overlap;
        plan.catchup = catchup;
        plan.run_length = length;
        play(plan, tally);
      }
    }
  }
  return tally;
}

void report(const Tally& tally) {
  for (const std::string& violation : tally.violations) ADD_FAILURE() << violation;
  std::printf("             %zu histories, %zu steps\n", tally.histories, tally.steps);
}

TEST(Exhaustive, every_history_without_a_wish_keeps_the_rules) { report(play_all({}, play_with_faults)); }

TEST(Exhaustive, every_history_with_a_pause_that_skips_keeps_the_rules) {
  for (const UserCommand command :
       {UserCommand::pause_for_half_a_period, UserCommand::pause_for_two_periods, UserCommand::pause_until})
    report(play_all({.missed = PauseMissed::skip, .command = command}, play_everywhere));
}

TEST(Exhaustive, every_history_with_a_pause_that_buffers_keeps_the_rules) {
  for (const UserCommand command :
       {UserCommand::pause_for_half_a_period, UserCommand::pause_for_two_periods, UserCommand::pause_until})
    report(play_all({.missed = PauseMissed::buffer, .command = command}, play_everywhere));
}

TEST(Exhaustive, every_history_with_an_edit_keeps_the_rules) {
  report(play_all({.command = UserCommand::edit_policy}, play_everywhere));
  report(play_all({.command = UserCommand::edit_spec}, play_everywhere));
}

TEST(Exhaustive, every_history_with_a_start_by_hand_keeps_the_rules) {
  for (const OverlapPolicy overlap : every_overlap)
    report(play_all({.command = UserCommand::trigger, .trigger_overlap = overlap}, play_everywhere));
}

TEST(Exhaustive, every_history_with_a_backfill_keeps_the_rules) {
  report(play_all({.command = UserCommand::backfill}, play_everywhere));
  report(play_all({.command = UserCommand::exclusive_backfill}, play_everywhere));
}

TEST(Exhaustive, every_history_with_a_deletion_keeps_the_rules) {
  report(play_all({.command = UserCommand::erase}, play_everywhere));
}

TEST(Exhaustive, every_history_that_is_disabled_and_enabled_keeps_the_rules) {
  report(play_all({.command = UserCommand::disable_and_enable}, play_everywhere));
}

TEST(Exhaustive, every_history_with_a_cancelled_run_keeps_the_rules) {
  report(play_all({.command = UserCommand::cancel_oldest}, play_everywhere));
  report(play_all({.command = UserCommand::cancel_newest}, play_everywhere));
}

// Two commands are too many to play them all: a fixed sample, spread evenly over every dimension.

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_{seed} {}
  std::size_t below(std::size_t count) { return splitmix(std::exchange(state_, state_ + golden_multiplier)) % count; }
  template <typename T, std::size_t count>
  T one_of(const std::array<T, count>& all) {
    return all[below(count)];
  }

 private:
  std::uint64_t state_;
};

constexpr std::array combined_commands{
    UserCommand::pause_for_half_a_period,
    UserCommand::pause_for_two_periods,
    UserCommand::pause_until,
    UserCommand::edit_policy,
    UserCommand::edit_spec,
    UserCommand::trigger,
    UserCommand::backfill,
    UserCommand::exclusive_backfill,
    UserCommand::erase,
    UserCommand::cancel_oldest,
    UserCommand::cancel_newest,
};

Plan drawn_plan(std::uint64_t seed) {
  Dice dice{seed};
  const auto place = [&] {
    return static_cast<std::int64_t>(1 + dice.below(plan_occurrence_count)) * plan_period + dice.one_of(offsets);
  };
  Plan plan;
  plan.overlap = dice.one_of(every_overlap);
  plan.catchup = dice.one_of(every_catchup);
  plan.missed = dice.below(2) == 0 ? PauseMissed::skip : PauseMissed::buffer;
  plan.run_length = dice.one_of(run_lengths);
  plan.command = dice.one_of(combined_commands);
  plan.command_at = place();
  plan.second_command = dice.one_of(combined_commands);
  plan.second_command_at = place();
  plan.trigger_overlap = dice.one_of(every_overlap);
  plan.fault = static_cast<Fault>(dice.below(4));
  plan.faulty_commit = plan.fault == Fault::none ? 0 : 1 + dice.below(10);
  return plan;
}

bool is_twice(const Plan& plan) {
  const bool is_edited_twice = plan.has(UserCommand::edit_policy) && plan.has(UserCommand::edit_spec);
  const bool is_filled_twice = plan.has(UserCommand::backfill) && plan.has(UserCommand::exclusive_backfill);
  return is_edited_twice || is_filled_twice ||
         (plan.command == plan.second_command && plan.command != UserCommand::trigger);
}

TEST(Exhaustive, a_sample_of_histories_with_two_wishes_keeps_the_rules) {
  Tally tally;
  for (std::uint64_t seed = 0; seed < 200'000; ++seed)
    if (const Plan plan = drawn_plan(seed); !is_twice(plan)) play(plan, tally);

  report(tally);
}

}  // namespace
}  // namespace carillon::testing
