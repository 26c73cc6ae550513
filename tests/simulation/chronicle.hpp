#pragma once

#include "simulation/edition_zones.hpp"
#include "simulation/passing_store.hpp"
#include "simulation/sometimes.hpp"
#include "simulation/story.hpp"
#include "simulation/violation.hpp"
#include "simulation/world.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace carillon::simulation {

/// Stands right before the store and writes the story: after every write it reads what became of the ledger, and
/// notices at once when something changes that may not.
class Chronicle final : public PassingStore {
 public:
  /// `zones` are the editions of the zone rules that there are. `on_write` is called after every write that may be of
  /// interest to somebody.
  Chronicle(Ports store, World& world, std::vector<EditionZones*> zones, Tally& tally, Findings& findings,
            std::function<void()> on_write);

  [[nodiscard]] const Story& story() const { return story_; }
  [[nodiscard]] bool has_open_runs() const { return open_run_count_ > 0; }
  [[nodiscard]] std::string id_of(Uid uid) const;
  /// Equal for equal courses of events.
  [[nodiscard]] std::uint64_t trace_hash() const { return trace_; }
  [[nodiscard]] std::int64_t step_count() const { return step_; }

  /// Reads the whole ledger again: a line that changed unnoticed is a fault.
  void compare_with_ledger();

  Result<DueSchedules> read_due(const DueRequest& request) override;
  Result<CommitResult> commit(const Batch& batch) override;
  Result<ScheduleLookup> find(const ScheduleKey& key) override;
  Result<std::optional<Outage>> note_deciding(const Presence& presence) override;
  Result<bool> quarantine(Uid uid, std::int64_t version, const std::string& error, Instant retry_at) override;
  Result<ClaimResult> claim(const ClaimRequest& request) override;
  Result<std::vector<RunWritten>> write(std::span<const RunUpdate> updates) override;
  Result<Pulse> heartbeat(const Heartbeat& heartbeat) override;

 private:
  using LifeKey = std::pair<std::string, std::int64_t>;
  struct Known {
    LifeKey life;
    std::int64_t version = 0;
    Instant cursor;
    bool is_quarantined = false;
  };

  Moment next_moment();
  void note_transition(const Transition& transition, const WriteOutcome& written, const Moment& moment);
  void note_state(const Transition& transition, Known& known, const Moment& moment);
  void note_created(const Transition& transition, Uid uid);
  void check_view(const ScheduleView& view);
  void read_new_lines(const Moment& moment);
  void refresh(Seq seq, const Moment& moment);
  void refresh_run(Seq seq, const Moment& moment);
  void refresh_backfills(const LifeKey& life, const Moment& moment);

  void apply(const LedgerRecord& record, const Moment& moment);
  void apply(const DecisionLine& line, const Moment& moment);
  void apply(const RangeLine& line, const Moment& moment);
  void apply(const AttemptLine& line, const Moment& moment);
  void apply(const ChangeLine& line, const Moment& moment);
  void apply(const BackfillLine& line, const Moment& moment);
  void apply(const VoidLine& line, const Moment& moment);
  void apply(const OutageLine& line, const Moment& moment);
  void change(DecisionStory& decision, const DecisionLine& line, const Moment& moment);
  void check_change(const DecisionStory& decision, const DecisionLine& line);
  void add_revision(Life& life, const ChangeLine& line);
  void count_open(const DecisionStory& decision, int sign);
  Life& life_of(const LineHead& head);
  void trace(std::uint64_t value);

  World& world_;
  std::vector<EditionZones*> zones_;
  Tally& tally_;
  Findings& findings_;
  std::function<void()> on_write_;
  Story story_;
  std::map<Uid, Known> known_;
  std::map<std::tuple<std::string, std::int64_t, std::string>, std::size_t> decision_of_run_;
  std::map<Seq, std::size_t> attempt_of_;
  Seq newest_{};
  std::int64_t step_ = 0;
  std::int64_t open_run_count_ = 0;
  bool may_have_outage_ = false;  // the store was told of one and gave no answer
  std::uint64_t trace_ = 0;
};

}  // namespace carillon::simulation
