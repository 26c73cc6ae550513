#include "simulation/bugs/bugs.hpp"
#include "simulation/bugs/spoiled_commits.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <set>

// What a mistake in a store, or in how scheduling uses it, would do to schedules.

namespace carillon::simulation {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

/// Writes over what somebody else has decided meanwhile.
class NoVersionCompare final : public PassingStore {
 public:
  using PassingStore::PassingStore;

  Result<CommitResult> commit(const Batch& batch) override {
    std::vector<Transition> transitions{batch.transitions.begin(), batch.transitions.end()};
    for (Transition& transition : transitions)
      if (const auto known = versions_.find(transition.next.uid); known != versions_.end())
        transition.next.version = known->second + 1;
    Batch spoiled = batch;
    spoiled.transitions = transitions;
    auto committed = PassingStore::commit(spoiled);
    for (std::size_t i = 0; committed && i < transitions.size(); ++i)
      if (committed->items[i].outcome == WriteOutcome::Outcome::written)
        versions_[transitions[i].decided_from() == 0 ? committed->items[i].uid : transitions[i].next.uid] =
            transitions[i].next.version;
    return committed;
  }

 private:
  std::map<Uid, std::int64_t> versions_;
};

/// Says yes to some commands without writing them.
class EmptyPromises final : public PassingStore {
 public:
  using PassingStore::PassingStore;

  Result<CommitResult> commit(const Batch& batch) override {
    const bool is_command = batch.transitions.size() == 1 && batch.transitions.front().request != 0;
    if (!is_command || ++commands_ % 4 != 0) return PassingStore::commit(batch);
    CommitResult committed{.store_now = TRY(PassingStore::store_now()), .items = {}, .claimed = {}};
    committed.items.push_back(
        {.outcome = WriteOutcome::Outcome::written, .uid = batch.transitions.front().next.uid, .decisions = {}});
    return committed;
  }

 private:
  int commands_ = 0;
};

/// Repeats some commits as if their answer had been lost, one version on.
class BlindRepeats final : public PassingStore {
 public:
  using PassingStore::PassingStore;

  Result<CommitResult> commit(const Batch& batch) override {
    auto committed = PassingStore::commit(batch);
    if (!committed || ++commits_ % 10 != 0) return committed;
    std::vector<Transition> again{batch.transitions.begin(), batch.transitions.end()};
    std::erase_if(again, [](const Transition& transition) { return transition.decided_from() == 0; });
    for (Transition& transition : again) ++transition.next.version;
    const auto repeated = PassingStore::commit({.writer = batch.writer, .transitions = again});
    return repeated ? std::move(committed) : std::unexpected(repeated.error());
  }

 private:
  int commits_ = 0;
};

/// Looks a second ahead.
class EarlyBird final : public PassingStore {
 public:
  using PassingStore::PassingStore;

  Result<DueSchedules> read_due(const DueRequest& request) override {
    auto due = PassingStore::read_due(request);
    if (due) due->store_now += seconds{1};
    return due;
  }
  Result<CommitResult> commit(const Batch& batch) override {
    std::vector<Transition> transitions{batch.transitions.begin(), batch.transitions.end()};
    for (Transition& transition : transitions)
      if (transition.next.wake) *transition.next.wake -= seconds{1};
    Batch spoiled = batch;
    spoiled.transitions = transitions;
    return PassingStore::commit(spoiled);
  }
};

/// Sets everything aside together with the one that cannot be written, and for long.
class WholeBatchSetAside final : public PassingStore {
 public:
  using PassingStore::PassingStore;

  Result<bool> quarantine(Uid uid, std::int64_t version, const std::string& error, Instant retry_at) override {
    const ScheduleScanPage page = TRY(PassingStore::read_page(Uid{}, 1'000));
    for (const ScheduleView& view : page.views)
      if (view.state.uid != uid)
        TRY(PassingStore::quarantine(view.state.uid, view.state.version, error, retry_at + hours{72}));
    return PassingStore::quarantine(uid, version, error, retry_at);
  }
};

/// Does not remember what it was asked for.
class ForgetfulOfRequests final : public PassingStore {
 public:
  using PassingStore::PassingStore;
  Result<std::optional<WrittenRequest>> find_written(std::int64_t) override { return std::nullopt; }
};

/// Hands out the definition before the last edit.
class OldDefinitions final : public PassingStore {
 public:
  using PassingStore::PassingStore;

  Result<std::vector<std::optional<StoredDefinition>>> read_definitions(
      std::span<const DefinitionName> names) override {
    std::vector<DefinitionName> older{names.begin(), names.end()};
    for (DefinitionName& name : older) name.revision = std::max<std::int64_t>(1, name.revision - 1);
    return PassingStore::read_definitions(older);
  }
};

/// Does not see the oldest open run of a schedule.
class BlindToRuns final : public PassingStore {
 public:
  using PassingStore::PassingStore;

  Result<DueSchedules> read_due(const DueRequest& request) override {
    auto due = PassingStore::read_due(request);
    if (due)
      for (ScheduleView& view : due->views)
        if (!view.live.empty() && is_open(view.live.front())) view.live.erase(view.live.begin());
    return due;
  }
};

/// Releases the newest of those that wait.
class LastComeFirstServed final : public PassingStore {
 public:
  using PassingStore::PassingStore;

  Result<CommitResult> commit(const Batch& batch) override {
    std::vector<Transition> transitions{batch.transitions.begin(), batch.transitions.end()};
    for (Transition& transition : transitions)
      for (Resolution& resolution : transition.resolutions) {
        auto& waiting = waiting_[transition.next.uid];
        if (waiting.empty()) continue;
        resolution.seq = std::max(resolution.seq, *waiting.rbegin());
        waiting.erase(resolution.seq);
      }
    Batch spoiled = batch;
    spoiled.transitions = transitions;
    auto committed = PassingStore::commit(spoiled);
    for (std::size_t i = 0; committed && i < transitions.size(); ++i) note(transitions[i], committed->items[i]);
    return committed;
  }

 private:
  void note(const Transition& transition, const WriteOutcome& written) {
    for (std::size_t i = 0; i < written.decisions.size() && i < transition.decisions.size(); ++i)
      if (std::holds_alternative<Waits>(transition.decisions[i].verdict))
        waiting_[transition.next.uid].insert(written.decisions[i]);
  }

  std::map<Uid, std::set<Seq>> waiting_;
};

constexpr std::array bugs{
    Bug{"no_version_compare", "two servers decide the same", make_store<NoVersionCompare>},
    Bug{"empty_promises", "acknowledged without writing", make_store<EmptyPromises>},
    Bug{"blind_repeats", "a lost answer is answered by repeating", make_store<BlindRepeats>},
    Bug{"early_bird", "due a second before its time", make_store<EarlyBird>},
    Bug{"whole_batch_set_aside", "one bad row silences all", make_store<WholeBatchSetAside>},
    Bug{"requests_forgotten", "a granted command is granted again", make_store<ForgetfulOfRequests>},
    Bug{"old_definitions", "edits are not seen", make_store<OldDefinitions>},
    Bug{"blind_to_runs", "an open run is overlooked", make_store<BlindToRuns>},
    Bug{"last_come_first_served", "the newest waiting start is released", make_store<LastComeFirstServed>},
};

}  // namespace

std::span<const Bug> committing_bugs() { return bugs; }

}  // namespace carillon::simulation
