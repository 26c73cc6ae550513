#include "schedule_machine/history.hpp"

#include "schedule_machine/user_commands.hpp"
#include "support/sort_by.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

namespace carillon::testing {
namespace {

using namespace std::chrono_literals;

constexpr Duration claim_delay = 30s;
constexpr Duration stop_delay = 20s;
constexpr Duration outage = 700s;

constexpr std::array command_names{"nothing",
                                   "pause ½",
                                   "pause 2",
                                   "pause until",
                                   "edit policy",
                                   "edit spec",
                                   "trigger",
                                   "backfill",
                                   "exclusive backfill",
                                   "delete",
                                   "disable and enable",
                                   "cancel oldest",
                                   "cancel newest"};
constexpr std::array fault_names{"none", "decided twice", "lost", "written late"};

OverlapPolicy other_policy(OverlapPolicy policy) {
  return static_cast<OverlapPolicy>((static_cast<int>(policy) + 3) % 7);
}

ScheduleBuilder builder_of(const Plan& plan) {
  return a_schedule()
      .every(plan_period)
      .until(plan_end())
      .overlap(plan.overlap)
      .catchup(plan.catchup)
      .missed(plan.missed)
      .with([](Policies& p) { p.buffer_limit = plan_buffer_limit; });
}

std::size_t index_of(const Plan& plan) {
  return (static_cast<std::size_t>(plan.overlap) * 3 + static_cast<std::size_t>(plan.catchup)) * 2 +
         static_cast<std::size_t>(plan.missed);
}

// Compiled once for each of the 42 schedules and handed out again.
template <typename Build>
const Definition& kept(std::vector<std::optional<Definition>>& definitions, std::size_t index, Build build) {
  if (definitions.size() <= index) definitions.resize(index + 1);
  if (!definitions[index]) definitions[index] = build().definition(1, plan_creation());
  return *definitions[index];
}

bool is_equal(const Transition& one, const Transition& other) {
  return one.next == other.next && std::ranges::equal(one.decisions, other.decisions) &&
         std::ranges::equal(one.resolutions, other.resolutions) && one.ranges == other.ranges &&
         std::ranges::equal(one.orders, other.orders) && one.backfills == other.backfills &&
         std::ranges::equal(one.counted, other.counted);
}

bool is_running(const Tower::Row& row) {
  return row.outcome == DecisionOutcome::started && row.run.state == RunState::running;
}
bool is_queued(const Tower::Row& row) {
  return row.outcome == DecisionOutcome::started && row.run.state == RunState::queued;
}
bool is_alive(const Tower::Row& row) {
  return row.outcome == DecisionOutcome::waiting || is_running(row) || is_queued(row);
}

}  // namespace

std::string to_text(const Plan& plan) {
  return fmt::format("{} {} missed {} runs of {} s, {} at {} s, {} at {} s (by hand {}), commit {} {}",
                     to_text(plan.overlap), to_text(plan.catchup), to_text(plan.missed), plan.run_length / 1s,
                     command_names[static_cast<std::size_t>(plan.command)], plan.command_at / 1s,
                     command_names[static_cast<std::size_t>(plan.second_command)], plan.second_command_at / 1s,
                     to_text(plan.trigger_overlap), plan.faulty_commit,
                     fault_names[static_cast<std::size_t>(plan.fault)]);
}

Instant plan_midnight() {
  static const Instant midnight = moment("00:00");
  return midnight;
}

const Definition& definition_of(const Plan& plan) {
  static std::vector<std::optional<Definition>> definitions;
  return kept(definitions, index_of(plan), [&] { return builder_of(plan); });
}

const Definition& after_edit(const Plan& plan) {
  static std::vector<std::optional<Definition>> with_policy;
  static std::vector<std::optional<Definition>> with_spec;
  if (plan.has(UserCommand::edit_spec))
    return kept(with_spec, index_of(plan), [&] { return builder_of(plan).every(plan_period / 2); });
  return kept(with_policy, index_of(plan), [&] { return builder_of(plan).overlap(other_policy(plan.overlap)); });
}

History::History(const Plan& plan)
    : plan_{plan}, tower_{definition_of(plan), plan_creation()}, edited_{after_edit(plan)} {
  plan_command(plan.command, plan_midnight() + plan.command_at);
  plan_command(plan.second_command, plan_midnight() + plan.second_command_at);
  sort_by(todos_, &Todo::when, std::ranges::greater{});
}

void History::plan_command(UserCommand command, Instant when) {
  if (command == UserCommand::nothing) return;
  todos_.push_back({when, command});
  if (command == UserCommand::pause_for_half_a_period) todos_.push_back({when + plan_period / 2, command, true});
  if (command == UserCommand::pause_for_two_periods || command == UserCommand::disable_and_enable)
    todos_.push_back({when + 9 * plan_period / 4, command, true});
}

void History::play() {
  std::size_t turns = 0;
  while (!violation_ && go_on())
    if (++turns > 300) broken("it never comes to rest");
  if (!violation_)
    if (const auto rule = broken_at_end(*this)) broken(*rule);
}

std::optional<Instant> History::time_of(ChangeKind kind) const {
  const auto found = std::ranges::find(tower_.changes(), kind, &Change::kind);
  if (found == tower_.changes().end()) return std::nullopt;
  return tower_.change_times()[static_cast<std::size_t>(found - tower_.changes().begin())];
}

OverlapPolicy History::policy_of(const Tower::Row& row) const { return row.overlap.value_or(policy_); }

std::optional<Instant> History::next_end() const {
  std::optional<Instant> next;
  for (std::size_t i = 0; i < ends_.size(); ++i)
    if (ends_[i] && is_running(tower_.rows()[i])) next = std::min(next.value_or(*ends_[i]), *ends_[i]);
  return next;
}

std::optional<Instant> History::next_claim() const {
  std::optional<Instant> next;
  for (const Tower::Row& row : tower_.rows()) {
    if (!is_queued(row)) continue;
    const Instant when = row.run.queued_at + claim_delay;
    next = std::min(next.value_or(when), when);
  }
  return next;
}

std::optional<Instant> History::next_look() const {
  const auto wake = tower_.state().wake;
  return wake ? std::optional{std::max(*wake, out_of_order_until_)} : std::nullopt;
}

std::optional<Instant> History::next_command() const {
  if (todos_.empty()) return std::nullopt;
  return std::max(todos_.back().when, out_of_order_until_);
}

// Whatever comes first; of what comes together, runs before users before servers.
bool History::go_on() {
  const std::array times{next_end(), next_claim(), next_command(), next_look()};
  const auto first = std::ranges::min_element(
      times, [](const auto& one, const auto& other) { return one && (!other || *one < *other); });
  if (!*first) return false;
  tower_.set_clock(std::max(tower_.now(), **first));
  switch (first - times.begin()) {
    case 0:
    case 1: work_until(tower_.now()); break;
    case 2: execute_command(); break;
    default: (void)decide(BecameDue{});
  }
  return true;
}

// Workers end and claim what they have to by now.
void History::work_until(Instant now) {
  for (std::size_t i = 0; i < tower_.rows().size(); ++i) {
    Tower::Row& row = tower_.row_at(i);
    if (is_running(row) && ends_[i] && *ends_[i] <= now) {
      tower_.end_run(row.seq, row.run.stop == Stop::none ? RunState::succeeded : RunState::cancelled);
    } else if (is_queued(row) && row.run.queued_at + claim_delay <= now) {
      row.run = launch(claim(row.run, now).value(), row.run.attempt + 1, now).value();
      ends_.resize(tower_.rows().size());
      ends_[i] = now + plan_.run_length;
    }
  }
}

void History::execute_command() {
  const Todo todo = todos_.back();
  const auto event = event_of(todo);
  if (!event || decide(*event) != Answer::lost) todos_.pop_back();
}

std::optional<Event> History::event_of(const Todo& todo) {
  switch (todo.command) {
    case UserCommand::nothing: return std::nullopt;
    case UserCommand::pause_for_half_a_period:
    case UserCommand::pause_for_two_periods: return todo.is_second_half ? testing::resume() : testing::pause();
    case UserCommand::pause_until: return Paused{.by = "anna", .until = tower_.now() + 9 * plan_period / 4};
    case UserCommand::edit_policy:
    case UserCommand::edit_spec:
      edited_.revision = tower_.state().revision + 1;
      return Edited{.by = "anna", .document = "{}", .next = &edited_};
    case UserCommand::trigger: return testing::trigger(fmt::format("t{}", todos_.size()), plan_.trigger_overlap);
    case UserCommand::backfill:
    case UserCommand::exclusive_backfill: {
      Backfill backfill;
      backfill.id = "b1";
      backfill.from = plan_midnight() - plan_period;
      backfill.to = tower_.now();
      backfill.is_exclusive = todo.command == UserCommand::exclusive_backfill;
      return request(backfill);
    }
    case UserCommand::erase: return testing::erase();
    case UserCommand::disable_and_enable: return todo.is_second_half ? enable() : disable();
    case UserCommand::cancel_oldest: {
      const auto row = std::ranges::find_if(tower_.rows(), is_alive);
      return row == tower_.rows().end() ? std::nullopt : std::optional{testing::cancel(*row)};
    }
    case UserCommand::cancel_newest: {
      const auto row = std::ranges::find_if(tower_.rows().rbegin(), tower_.rows().rend(), is_alive);
      return row == tower_.rows().rend() ? std::nullopt : std::optional{testing::cancel(*row)};
    }
  }
  std::unreachable();
}

History::Answer History::decide(const Event& event) {
  const ScheduleView view = tower_.view();
  const auto transition = step(tower_.definition(), view, event, tower_.now());
  ++step_count_;
  if (!transition) return Answer::refused;
  ++commit_count_;
  if (commit_count_ == plan_.faulty_commit) {
    if (plan_.fault == Fault::lost) {
      out_of_order_until_ = tower_.now() + outage;
      return Answer::lost;
    }
    if (plan_.fault == Fault::written_late) {
      const auto end = next_end();
      const auto next = end ? end : next_claim();
      if (next && *next < tower_.now() + plan_period / 2) {
        tower_.set_clock(std::max(tower_.now(), *next));
        work_until(tower_.now());
      }
    }
  }
  write(*transition, event, view);
  if (commit_count_ == plan_.faulty_commit && plan_.fault == Fault::decided_twice) decide_twice(event, *transition);
  return Answer::written;
}

void History::decide_twice(const Event& event, const Transition& first) {
  if (tower_.commit(first, event)) return broken("a stale decision was written");
  if (!std::holds_alternative<BecameDue>(event) || (tower_.state().wake && *tower_.state().wake <= tower_.now()))
    return;
  const auto again = step(tower_.definition(), tower_.view(), event, tower_.now());
  ++step_count_;
  if (!again || !again->decisions.empty() || !again->resolutions.empty() || !again->ranges.empty())
    broken("a second look at the same moment finds something to decide");
}

void History::write(const Transition& transition, const Event& event, const ScheduleView& view) {
  if (plan_.fault == Fault::decided_twice && commit_count_ == plan_.faulty_commit) {
    const auto other = step(tower_.definition(), tower_.view(), event, tower_.now());
    ++step_count_;
    if (!other || !is_equal(transition, *other)) return broken("two servers decide differently from one view");
  }
  std::vector<DecisionOutcome> before;
  std::vector<std::size_t> running;
  for (const Tower::Row& row : tower_.rows()) {
    if (is_running(row)) running.push_back(before.size());
    before.push_back(row.outcome);
  }
  policy_ = tower_.definition().policies.overlap;
  if (!tower_.commit(transition, event)) return broken("a decision from the newest view was refused");
  if (!std::ranges::all_of(running, [&](std::size_t index) { return is_running(tower_.rows()[index]); }))
    return broken("a run that a worker has is taken back");
  ends_.resize(tower_.rows().size());
  note_stops();
  if (const auto rule = broken_by_commit(*this, view, before)) broken(*rule);
}

void History::note_stops() {
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    const Tower::Row& row = tower_.rows()[i];
    if (is_running(row) && row.run.stop != Stop::none && ends_[i])
      ends_[i] = std::min(*ends_[i], tower_.now() + stop_delay);
  }
}

void History::broken(const std::string& rule) {
  violation_ = fmt::format("{}\n  in: {}\n  at {}, ledger:\n    {}", rule, to_text(plan_),
                           carillon::to_text(tower_.now()), fmt::join(tower_.ledger(), "\n    "));
}

}  // namespace carillon::testing
