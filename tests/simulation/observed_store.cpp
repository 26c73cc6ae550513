#include "simulation/observed_store.hpp"

#include <chrono>
#include <utility>

namespace carillon::simulation {
namespace {

/// So many batches are decided in no time; each one more takes a while, so that a turn ends.
constexpr int reads_in_no_time = 8;
constexpr Duration time_of_read = std::chrono::milliseconds{100};

}  // namespace

ObservedStore::ObservedStore(Ports below, Surroundings& surroundings, Actor& actor,
                             std::function<void(const QueuedRun&)> on_end_written)
    : PassingStore{below}, around_{surroundings}, actor_{actor}, on_end_written_{std::move(on_end_written)} {}

Result<DueSchedules> ObservedStore::read_due(const DueRequest& request) {
  if (++reads_in_turn_ > reads_in_no_time) actor_.stand_still(time_of_read);
  if (request.after) around_.tally.add(Sometimes::decided_while_others_are_written);
  auto due = PassingStore::read_due(request);
  next_wake_.reset();
  if (due && due->next_wake) next_wake_ = around_.world.now() + (*due->next_wake - due->store_now);
  return due;
}

Result<CommitResult> ObservedStore::commit(const Batch& batch) {
  has_committed_ = true;
  auto committed = PassingStore::commit(batch);
  if (!committed || committed->claimed.empty()) return committed;
  around_.tally.add(Sometimes::claimed_inside_commit);
  note_claimed(committed->claimed);
  return committed;
}

Result<ScheduleScanPage> ObservedStore::read_page(Uid after, std::size_t count_max) {
  auto page = PassingStore::read_page(after, count_max);
  if (page && count_max == 0 && !first_look_) first_look_ = around_.world.now();
  return page;
}

Result<ClaimResult> ObservedStore::claim(const ClaimRequest& request) {
  auto claimed = PassingStore::claim(request);
  next_claimable_.reset();
  if (!claimed) return claimed;
  if (claimed->next_claimable) next_claimable_ = around_.world.now() + (*claimed->next_claimable - claimed->store_now);
  note_claimed(claimed->runs);
  return claimed;
}

void ObservedStore::note_claimed(const std::vector<ClaimedRun>& runs) {
  for (const ClaimedRun& run : runs) claimed_.try_emplace({run.row.seq, run.row.run.attempt}, run.row);
}

Result<std::vector<RunWritten>> ObservedStore::write(std::span<const RunUpdate> updates) {
  auto written = PassingStore::write(updates);
  for (std::size_t i = 0; written && i < updates.size(); ++i) {
    if ((*written)[i] != RunWritten::written) continue;
    if (const auto claimed = claimed_.extract({updates[i].seq, updates[i].attempt})) on_end_written_(claimed.mapped());
  }
  return written;
}

Result<std::vector<ClaimedRun>> ObservedStore::read_held(SessionId session) {
  auto held = PassingStore::read_held(session);
  if (!held) return held;
  for (const ClaimedRun& run : *held)
    if (!claimed_.contains({run.row.seq, run.row.run.attempt})) around_.tally.add(Sometimes::lost_claim_found);
  note_claimed(*held);
  return held;
}

}  // namespace carillon::simulation
