#pragma once

#include "engine/run_order.hpp"
#include "engine/step.hpp"
#include "support/schedule_builder.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace carillon::testing {

/// "09:05" or "09:05:30" of 1 March 2027, a Monday; else RFC 3339.
[[nodiscard]] Instant moment(std::string_view text);

/// One schedule with its runs and its ledger, kept in plain vectors: what a store would keep, without one. Tests tell
/// it what happens and read what it wrote.
class Tower {
 public:
  /// A row of its ledger.
  struct Row {
    std::int64_t seq = 0;
    Instant nominal;
    Instant due;
    Source source = Source::schedule;
    DecisionOutcome outcome = DecisionOutcome::waiting;
    std::optional<SkipReason> reason{};
    std::int64_t revision = 0;
    Instant decided_at;  // of its last outcome
    bool holds_slot = true;
    std::optional<OverlapPolicy> overlap{};
    std::int64_t backfill = 0;
    bool is_held_back = false;
    Seq last_success{};
    Seq last_failure{};
    std::string trigger{};
    Run run;
  };

  Tower(ScheduleBuilder builder, std::string_view now) : Tower(std::move(builder), moment(now)) {}
  Tower(ScheduleBuilder builder, Instant now);
  /// It is created under the id of one that was deleted.
  Tower(const ScheduleBuilder& builder, Instant now, const ScheduleState& tombstone);
  /// The same as by its builder, without the work of compiling.
  Tower(Definition definition, Instant now, std::optional<ScheduleState> tombstone = {},
        std::optional<OnCreate> first = {});

  /// Time goes on: the schedule is decided at each of its wake times up to `now`, as a server would.
  void until(std::string_view now) { until(moment(now)); }
  void until(Instant now);
  /// Nobody was there: time goes on without a decision, which is an outage, then one look.
  void sleep_until(std::string_view now) { sleep_until(moment(now)); }
  void sleep_until(Instant now);

  /// Something happens now. An error changes nothing.
  Result<> happens(const Event& event);
  Result<> edit(ScheduleBuilder builder);
  /// Decides now, as often as it asks for it.
  void look();

  /// A worker claims the run of an occurrence and launches it.
  void launch(std::string_view nominal);
  /// The run of an occurrence ends now; whoever listens is woken and decides.
  void finish(std::string_view nominal, RunState how = RunState::succeeded);

  /// The ledger in words, one row each: "09:05 started", "09:10 skipped(overlap)", "09:15 … 09:55 (9) skipped(missed)",
  /// "09:05 catchup started". Times of today without the day.
  [[nodiscard]] std::vector<std::string> ledger() const;
  [[nodiscard]] std::vector<std::string> new_lines();

  [[nodiscard]] const ScheduleState& state() const { return state_; }
  [[nodiscard]] Instant now() const { return now_; }
  [[nodiscard]] ScheduleView view() const;
  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }
  [[nodiscard]] Row& row(std::string_view nominal);
  [[nodiscard]] Row& row_at(std::size_t index) { return rows_[index]; }
  [[nodiscard]] const std::vector<SkippedRange>& ranges() const { return ranges_; }
  [[nodiscard]] const std::vector<VoidedRange>& voids() const { return voids_; }
  [[nodiscard]] const std::vector<Change>& changes() const { return changes_; }
  /// When each of them was written.
  [[nodiscard]] const std::vector<Instant>& change_times() const { return change_times_; }
  [[nodiscard]] const std::vector<Backfill>& backfills() const { return backfills_; }
  [[nodiscard]] const std::vector<RunOrder>& orders() const { return orders_; }
  [[nodiscard]] const Definition& definition() const { return definition_; }
  [[nodiscard]] std::size_t started_count() const;
  /// The ids of all starts by hand, in order.
  [[nodiscard]] std::vector<std::string> triggers() const;

  /// Writes what `event` was decided to mean, unless something else has been written since, as a store would.
  [[nodiscard]] bool commit(const Transition& transition, const Event& event);
  /// Writes a transition that was decided from what this tower is now.
  void write(const Transition& transition);
  void end_run(std::int64_t seq, RunState how);
  void set_clock(Instant now) { now_ = now; }
  void use(Definition definition) { definition_ = std::move(definition); }

 private:
  struct Line {
    std::size_t kind;  // 0 row, 1 range, 2 change, 3 void
    std::size_t index;
  };
  void add_row(const Decision& decision, const Transition& transition);
  void resolve(Row& row, const Verdict& verdict, const Transition& transition);
  void carry_out(const RunOrder& order);
  [[nodiscard]] std::vector<PastRun> past_runs() const;
  [[nodiscard]] std::string text_of(const Row& row) const;
  [[nodiscard]] std::string text_of(const Line& line) const;

  Definition definition_;
  Instant now_;
  ScheduleState state_;
  std::vector<Row> rows_;
  std::vector<bool> is_live_;  // by row
  std::vector<SkippedRange> ranges_;
  std::vector<VoidedRange> voids_;
  std::vector<Change> changes_;
  std::vector<Instant> change_times_;
  std::vector<Backfill> backfills_;
  std::vector<RunOrder> orders_;
  std::vector<Line> lines_;
  std::vector<Outage> outages_;
  std::size_t told_ = 0;
};

}  // namespace carillon::testing
