#pragma once

#include "engine/step.hpp"
#include "support/tower.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace carillon::testing {

/// What a user does once in a history.
enum class UserCommand {
  nothing,
  pause_for_half_a_period,
  pause_for_two_periods,
  pause_until,
  edit_policy,
  edit_spec,
  trigger,
  backfill,
  exclusive_backfill,
  erase,
  disable_and_enable,
  cancel_oldest,
  cancel_newest,
};

/// What goes wrong with one commit of a history.
enum class Fault {
  none,
  decided_twice,  // two servers decide from one view; the second is refused, and a third look finds nothing to do
  lost,           // it is never written, and nobody decides anything for more than a period
  written_late,   // a run is claimed or ends between reading and writing
};

/// A small history: one schedule with four occurrences, runs of one length, one or two commands, one fault.
struct Plan {
  OverlapPolicy overlap = OverlapPolicy::skip;
  CatchupPolicy catchup = CatchupPolicy::latest;
  PauseMissed missed = PauseMissed::skip;
  Duration run_length{};
  UserCommand command = UserCommand::nothing;
  Duration command_at{};  // after midnight
  UserCommand second_command = UserCommand::nothing;
  Duration second_command_at{};
  OverlapPolicy trigger_overlap = OverlapPolicy::allow_all;
  Fault fault = Fault::none;
  std::size_t faulty_commit = 0;  // counted from one

  [[nodiscard]] bool has(UserCommand one) const { return command == one || second_command == one; }
  [[nodiscard]] bool has_pause() const {
    return has(UserCommand::pause_for_half_a_period) || has(UserCommand::pause_for_two_periods) ||
           has(UserCommand::pause_until);
  }
};
[[nodiscard]] std::string to_text(const Plan& plan);

inline constexpr Duration plan_period = std::chrono::minutes{10};
inline constexpr std::int64_t plan_occurrence_count = 4;
inline constexpr std::int64_t plan_buffer_limit = 2;
[[nodiscard]] Instant plan_midnight();
[[nodiscard]] inline Instant plan_creation() { return plan_midnight() + plan_period / 2; }
[[nodiscard]] inline Instant plan_end() { return plan_midnight() + plan_occurrence_count * plan_period; }
/// The schedule of a plan, ready to be decided; `after_edit` is what an edit makes of it.
[[nodiscard]] const Definition& definition_of(const Plan& plan);
[[nodiscard]] const Definition& after_edit(const Plan& plan);

/// Plays a plan to its end: until nothing runs, nothing is due, and nobody wants anything. Workers claim after half a
/// minute, and stop twenty seconds after they were asked to.
class History {
 public:
  explicit History(const Plan& plan);
  void play();

  [[nodiscard]] const Plan& plan() const { return plan_; }
  [[nodiscard]] const Tower& tower() const { return tower_; }
  [[nodiscard]] std::size_t commit_count() const { return commit_count_; }
  [[nodiscard]] std::size_t step_count() const { return step_count_; }
  /// The first rule that was broken, with the whole history; none if all held.
  [[nodiscard]] const std::optional<std::string>& violation() const { return violation_; }
  [[nodiscard]] std::optional<Instant> time_of(ChangeKind kind) const;
  /// The overlap policy that a row was subject to in the newest commit.
  [[nodiscard]] OverlapPolicy policy_of(const Tower::Row& row) const;

 private:
  struct Todo {
    Instant when;
    UserCommand command;
    bool is_second_half = false;
  };
  enum class Answer { written, refused, lost };

  void plan_command(UserCommand command, Instant when);

  [[nodiscard]] std::optional<Instant> next_end() const;
  [[nodiscard]] std::optional<Instant> next_claim() const;
  [[nodiscard]] std::optional<Instant> next_look() const;
  [[nodiscard]] std::optional<Instant> next_command() const;
  bool go_on();
  void work_until(Instant now);
  void execute_command();
  [[nodiscard]] std::optional<Event> event_of(const Todo& todo);
  Answer decide(const Event& event);
  void decide_twice(const Event& event, const Transition& first);
  void write(const Transition& transition, const Event& event, const ScheduleView& view);
  void note_stops();
  void broken(const std::string& rule);

  Plan plan_;
  Tower tower_;
  std::vector<Todo> todos_;  // the next one last
  Definition edited_;
  std::vector<std::optional<Instant>> ends_;    // by row: when its run will have ended
  OverlapPolicy policy_ = OverlapPolicy::skip;  // of the schedule, when the newest commit was decided
  Instant out_of_order_until_{};
  std::size_t commit_count_ = 0;
  std::size_t step_count_ = 0;
  std::optional<std::string> violation_;
};

/// The first rule broken by what was just written, or none. `view` is what it was decided from, `before` the outcomes
/// of the rows that were there already.
[[nodiscard]] std::optional<std::string> broken_by_commit(const History& history, const ScheduleView& view,
                                                          const std::vector<DecisionOutcome>& before);
/// The first rule broken by a history that is over, or none.
[[nodiscard]] std::optional<std::string> broken_at_end(const History& history);

}  // namespace carillon::testing
