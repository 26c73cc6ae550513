#include "stores/memory/memory_store.hpp"

#include "base/assertion.hpp"
#include "base/clock_step.hpp"
#include "stores/memory/commit.hpp"
#include "stores/memory/feed.hpp"
#include "stores/memory/forgetting.hpp"
#include "stores/memory/metadata_writing.hpp"
#include "stores/memory/run_changes.hpp"
#include "stores/memory/tables.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace carillon {
namespace {

using memory::StoredSchedule;
using memory::Tables;

std::optional<StoredDefinition> definition_of(Tables& tables, const DefinitionName& name) {
  const StoredSchedule* schedule = tables.find_schedule(name.uid);
  if (!schedule) return std::nullopt;
  const auto newer = schedule->documents.upper_bound(name.revision);
  if (newer == schedule->documents.begin()) return std::nullopt;
  return StoredDefinition{
      .key = schedule->key, .document = std::prev(newer)->second, .created_at = schedule->state.created_at};
}

enum class ServerPart { own, others };

}  // namespace

MemoryStore::MemoryStore(Clock& clock) : clock_{clock}, tables_{std::make_unique<Tables>()} {}
MemoryStore::~MemoryStore() = default;

MemoryStore::WriteScope::WriteScope(MemoryStore& store) : store_{store} { store_.mutex_.lock(); }

MemoryStore::WriteScope::~WriteScope() {
  const StoreChange change = std::exchange(store_.tables_->change, {});
  store_.mutex_.unlock();
  if (change != StoreChange{}) store_.listeners_.call(change);
}

StorePorts MemoryStore::ports() {
  return {.schedules = *this,
          .runs = *this,
          .queries = *this,
          .retention = *this,
          .events = *this,
          .audit = *this,
          .tokens = *this,
          .idempotency = *this,
          .notifier = *this,
          .locks = this};
}

NotifierSubscription MemoryStore::subscribe(std::function<void(const StoreChange&)> listener) {
  return NotifierSubscription{listeners_.add(std::move(listener))};
}

Instant MemoryStore::now() {
  const Instant now = clock_.now();
  tables_->follow_clock(clock_offset(now, clock_.since_boot()));
  tables_->advance(now);
  return now;
}

Instant MemoryStore::time_of_writing() {
  const Instant time = now();
  tables_->newest_write = std::max(tables_->newest_write, time);
  return time;
}

Result<DueSchedules> MemoryStore::read_due(const DueRequest& request) {
  const std::scoped_lock lock{mutex_};
  DueSchedules due{.store_now = now(),
                   .zone_edition = tables_->zone_edition,
                   .views = {},
                   .next_wake = {},
                   .outages = tables_->newest_outages()};
  const auto& wakes = request.rules == due.zone_edition ? tables_->wakes : tables_->zoneless_wakes;
  const auto take = [&](ServerPart part, Duration lateness) {
    for (const auto& [wake, uid] : wakes) {
      if (request.after && WakePlace{wake, uid} <= *request.after) continue;
      if (due.next_wake && wake >= *due.next_wake) break;
      if (is_in(request.share, uid) != (part == ServerPart::own)) continue;
      if (wake + lateness <= due.store_now && due.views.size() < request.count_max) {
        due.views.push_back(view_of(tables_->schedules.at(uid)));
      } else {
        due.next_wake = std::min(wake + lateness, due.next_wake.value_or(wake + lateness));
      }
    }
  };
  take(ServerPart::own, Duration{0});
  take(ServerPart::others, overdue_for_all);
  return due;
}

Result<CommitResult> MemoryStore::commit(const Batch& batch) {
  CARILLON_ASSERT(batch.attached == nullptr || batch.transitions.size() == 1);
  const WriteScope scope{*this};
  CommitResult committed{.store_now = time_of_writing(), .items = {}, .claimed = {}};
  if (batch.attached != nullptr) TRY(check_attached(*tables_, *batch.attached, committed.store_now));
  for (const Transition& transition : batch.transitions)
    committed.items.push_back(write_transition(*tables_, batch.writer, transition, committed.store_now));
  // What was decided holds, also if this server's own workers have lost their lease.
  if (batch.claim && tables_->find_session(batch.claim->session))
    committed.claimed = claim_runs(*tables_, *batch.claim, committed.store_now);
  if (batch.attached != nullptr && committed.items.front().outcome == WriteOutcome::Outcome::written)
    write_attached(*tables_, *batch.attached, committed.items.front().uid, committed.items.front().decisions,
                   committed.store_now);
  return committed;
}

Result<ScheduleLookup> MemoryStore::find(const ScheduleKey& key) {
  const std::scoped_lock lock{mutex_};
  ScheduleLookup found{
      .store_now = now(), .zone_edition = tables_->zone_edition, .view = {}, .outages = tables_->newest_outages()};
  const auto bearers = tables_->names.find(memory::name_key_of(key));
  // Only the newest bearer of a name can be alive.
  if (bearers != tables_->names.end()) found.view = view_of(tables_->schedules.at(bearers->second.back()));
  return found;
}

Result<ScheduleScanPage> MemoryStore::read_page(Uid after, std::size_t count_max) {
  const std::scoped_lock lock{mutex_};
  ScheduleScanPage page{.store_now = now(),
                        .zone_edition = tables_->zone_edition,
                        .settled_edition = tables_->settled_edition,
                        .newest_write = tables_->newest_write,
                        .views = {},
                        .outages = tables_->newest_outages(),
                        .decided_at = tables_->decided_at};
  const auto& schedules = tables_->schedules;
  for (auto at = schedules.upper_bound(after); at != schedules.end() && page.views.size() < count_max; ++at)
    if (!at->second.state.deleted_at) page.views.push_back(view_of(at->second));
  return page;
}

Result<std::vector<std::optional<StoredDefinition>>> MemoryStore::read_definitions(
    std::span<const DefinitionName> names) {
  const std::scoped_lock lock{mutex_};
  std::vector<std::optional<StoredDefinition>> definitions;
  for (const DefinitionName& name : names) definitions.push_back(definition_of(*tables_, name));
  return definitions;
}

Result<std::vector<PastRun>> MemoryStore::read_past_runs(Uid uid, Instant from, Instant to) {
  const std::scoped_lock lock{mutex_};
  std::vector<PastRun> past;
  const StoredSchedule* schedule = tables_->find_schedule(uid);
  if (!schedule) return past;
  for (auto at = schedule->started.lower_bound(from); at != schedule->started.end() && at->first < to; ++at) {
    const Seq newest = *at->second.rbegin();
    const auto is_own = [&](Seq seq) { return is_automatic(tables_->runs.at(seq).row.source); };
    past.push_back({.nominal = at->first,
                    .state = tables_->runs.at(newest).row.run.state,
                    .is_automatic = std::ranges::any_of(at->second, is_own)});
  }
  return past;
}

Result<std::optional<WrittenRequest>> MemoryStore::find_written(std::int64_t request) {
  const std::scoped_lock lock{mutex_};
  const auto found = tables_->requests.find(request);
  if (found == tables_->requests.end()) return std::nullopt;
  return found->second;
}

Result<bool> MemoryStore::quarantine(Uid uid, std::int64_t version, const std::string& error, Instant retry_at) {
  const WriteScope scope{*this};
  StoredSchedule* schedule = tables_->find_schedule(uid);
  if (!schedule || schedule->state.version != version) return false;
  const Instant now = time_of_writing();
  schedule->quarantine = error;
  tables_->set_wake(*schedule, retry_at);
  memory::note(*tables_, event_of_quarantine({.uid = uid, .at = now}));
  return true;
}

Result<std::optional<std::string>> MemoryStore::read_quarantine(Uid uid) {
  const std::scoped_lock lock{mutex_};
  const StoredSchedule* schedule = tables_->find_schedule(uid);
  return schedule ? schedule->quarantine : std::nullopt;
}

Result<bool> MemoryStore::adopt_zone_edition(ZoneEdition expected, ZoneEdition next) {
  const std::scoped_lock lock{mutex_};
  if (tables_->zone_edition != expected) return false;
  tables_->zone_edition = next;
  return true;
}

Result<> MemoryStore::settle_zone_edition(ZoneEdition edition) {
  const std::scoped_lock lock{mutex_};
  if (tables_->zone_edition == edition) tables_->settled_edition = edition;
  return {};
}

Result<std::optional<Outage>> MemoryStore::note_deciding(const Presence& presence) {
  const WriteScope scope{*this};
  return tables_->note_deciding(presence, time_of_writing());
}

Result<std::vector<LedgerRecord>> MemoryStore::read_ledger(Seq after, std::size_t count_max) {
  const std::scoped_lock lock{mutex_};
  return tables_->ledger.read(after, count_max);
}

Result<std::vector<RetentionCandidate>> MemoryStore::read_lines(Seq after, std::size_t count_max) {
  const std::scoped_lock lock{mutex_};
  return memory::swept_lines(*tables_, after, count_max);
}

Result<PrunableRuns> MemoryStore::read_prunable_runs(Uid uid, std::int64_t keep) {
  const std::scoped_lock lock{mutex_};
  const StoredSchedule* const schedule = tables_->find_schedule(uid);
  return schedule == nullptr ? PrunableRuns{} : memory::beyond_kept(*tables_, *schedule, keep);
}

Result<> MemoryStore::forget_details(Uid uid, const PrunableRuns& beyond) {
  const std::scoped_lock lock{mutex_};
  if (StoredSchedule* const schedule = tables_->find_schedule(uid)) memory::forget_details(*tables_, *schedule, beyond);
  return {};
}

Result<> MemoryStore::forget_lines(std::span<const Seq> lines) {
  const std::scoped_lock lock{mutex_};
  for (const Seq line : lines) memory::forget_line(*tables_, line);
  return {};
}

std::size_t MemoryStore::ledger_size() {
  const std::scoped_lock lock{mutex_};
  return tables_->ledger.line_count();
}

}  // namespace carillon
