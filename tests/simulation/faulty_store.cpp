#include "simulation/faulty_store.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace carillon::simulation {
namespace {

constexpr CallInfo a_read{.kind = CallInfo::Kind::read};
constexpr CallInfo a_write{.kind = CallInfo::Kind::write};

/// A batch with all that it refers to.
class OwnBatch {
 public:
  explicit OwnBatch(const Batch& batch)
      : writer_{batch.writer}, transitions_{batch.transitions.begin(), batch.transitions.end()}, claim_{batch.claim} {
    if (batch.attached != nullptr) attached_ = *batch.attached;
  }

  [[nodiscard]] Batch batch() const {
    return {
        .writer = writer_, .transitions = transitions_, .claim = claim_, .attached = attached_ ? &*attached_ : nullptr};
  }

 private:
  Writer writer_;
  std::vector<Transition> transitions_;
  std::optional<ClaimRequest> claim_;
  std::optional<CommandMetadata> attached_;
};

}  // namespace

FaultyStore::FaultyStore(Ports below, World& world, FaultBoard& board, Actor& actor,
                         std::function<std::string(Uid)> id_of)
    : PassingStore{below}, world_{world}, board_{board}, actor_{actor}, id_of_{std::move(id_of)} {}

Fate FaultyStore::next_fate(const CallInfo& info) { return board_.fate_of(actor_, ++calls_, info); }

template <typename Call>
auto FaultyStore::pass(const CallInfo& info, Call call) -> decltype(call()) {
  return pass_on(next_fate(info), std::move(call));
}

template <typename Call>
auto FaultyStore::pass_write(const CallInfo& info, Call call) -> decltype(call()) {
  const Fate fate = next_fate(info);
  if (fate.end != Fate::End::late) return pass_on(fate, std::move(call));
  stand_still(fate.pause_before);
  board_.begin_standing();
  world_.after(fate.late_by, [this, call = std::move(call)]() mutable {
    (void)call();
    board_.end_standing();
  });
  return fail(ErrorCode::unavailable, "the answer did not come in time");
}

template <typename Call>
auto FaultyStore::pass_on(const Fate& fate, Call call) -> decltype(call()) {
  stand_still(fate.pause_before);
  switch (fate.end) {
    case Fate::End::crash_before: throw Crash{};
    case Fate::End::late:
    case Fate::End::not_executed: return fail(ErrorCode::unavailable, "the store cannot be reached");
    case Fate::End::refused: return fail(ErrorCode::invalid_argument, "a row cannot be written");
    default: break;
  }
  auto answer = call();
  if (fate.end == Fate::End::crash_after) throw Crash{};
  stand_still(fate.pause_after);
  if (fate.end == Fate::End::answer_lost) return fail(ErrorCode::unavailable, "the answer was lost");
  return answer;
}

void FaultyStore::stand_still(Duration length) {
  if (length == Duration{0}) return;
  board_.begin_standing();
  try {
    actor_.stand_still(length);
  } catch (const Crash&) {
    board_.end_standing();
    throw;
  }
  board_.end_standing();
}

bool FaultyStore::is_poisoned(const Batch& batch) const {
  return std::ranges::any_of(
      batch.transitions, [&](const Transition& transition) { return board_.is_poisoned(id_of_(transition.next.uid)); });
}

Result<DueSchedules> FaultyStore::read_due(const DueRequest& request) {
  return pass(a_read, [&] { return PassingStore::read_due(request); });
}
Result<CommitResult> FaultyStore::commit(const Batch& batch) {
  const CallInfo info{.kind = CallInfo::Kind::commit,
                      .is_poisoned = is_poisoned(batch),
                      .has_others = batch.transitions.size() > 1,
                      .is_command = batch.transitions.size() == 1 && batch.transitions.front().request != 0};
  return pass_write(info, [this, own = OwnBatch{batch}] { return PassingStore::commit(own.batch()); });
}
Result<ScheduleLookup> FaultyStore::find(const ScheduleKey& key) {
  return pass(a_read, [&] { return PassingStore::find(key); });
}
Result<ScheduleScanPage> FaultyStore::read_page(Uid after, std::size_t count_max) {
  return pass(a_read, [&] { return PassingStore::read_page(after, count_max); });
}
Result<std::vector<std::optional<StoredDefinition>>> FaultyStore::read_definitions(
    std::span<const DefinitionName> names) {
  return pass(a_read, [&] { return PassingStore::read_definitions(names); });
}
Result<std::vector<PastRun>> FaultyStore::read_past_runs(Uid uid, Instant from, Instant to) {
  return pass(a_read, [&] { return PassingStore::read_past_runs(uid, from, to); });
}
Result<std::optional<WrittenRequest>> FaultyStore::find_written(std::int64_t request) {
  return pass(a_read, [&] { return PassingStore::find_written(request); });
}
Result<bool> FaultyStore::quarantine(Uid uid, std::int64_t version, const std::string& error, Instant retry_at) {
  return pass_write(a_write, [this, uid, version, error, retry_at] {
    return PassingStore::quarantine(uid, version, error, retry_at);
  });
}
Result<std::optional<std::string>> FaultyStore::read_quarantine(Uid uid) {
  return pass(a_read, [&] { return PassingStore::read_quarantine(uid); });
}
Result<bool> FaultyStore::adopt_zone_edition(ZoneEdition expected, ZoneEdition next) {
  return pass_write(a_write, [this, expected, next] { return PassingStore::adopt_zone_edition(expected, next); });
}
Result<> FaultyStore::settle_zone_edition(ZoneEdition edition) {
  return pass_write(a_write, [this, edition] { return PassingStore::settle_zone_edition(edition); });
}

Result<std::optional<Outage>> FaultyStore::note_deciding(const Presence& presence) {
  return pass_write(a_write, [this, presence] { return PassingStore::note_deciding(presence); });
}

Result<SessionId> FaultyStore::open_session(const std::string& worker, Duration lease) {
  return pass_write(a_write, [this, worker, lease] { return PassingStore::open_session(worker, lease); });
}
Result<ClaimResult> FaultyStore::claim(const ClaimRequest& request) {
  const Fate fate = board_.fate_of(actor_, calls_ + 1, a_write);
  ClaimRequest own = request;
  // All that it could take is locked: whoever holds the rows may not even take them.
  if (fate.is_without_rows) own.count_max = 0;
  return pass_write(a_write, [this, own = std::move(own)] { return PassingStore::claim(own); });
}
Result<std::vector<RunWritten>> FaultyStore::write(std::span<const RunUpdate> updates) {
  return pass_write(a_write, [this, own = std::vector<RunUpdate>{updates.begin(), updates.end()}] {
    return PassingStore::write(own);
  });
}
Result<Pulse> FaultyStore::heartbeat(const Heartbeat& heartbeat) {
  return pass_write(a_write,
                    [this, session = heartbeat.session,
                     launched = std::vector<LaunchNotice>{heartbeat.launched.begin(), heartbeat.launched.end()}] {
                      return PassingStore::heartbeat({.session = session, .launched = launched});
                    });
}
Result<> FaultyStore::close_session(SessionId session) {
  return pass_write(a_write, [this, session] { return PassingStore::close_session(session); });
}
Result<std::vector<ClaimedRun>> FaultyStore::read_held(SessionId session) {
  return pass(a_read, [&] { return PassingStore::read_held(session); });
}
Result<std::vector<QueuedRun>> FaultyStore::read_lost(std::size_t count_max) {
  return pass(a_read, [&] { return PassingStore::read_lost(count_max); });
}
Result<std::vector<QueuedRun>> FaultyStore::read_expired(std::size_t count_max) {
  return pass(a_read, [&] { return PassingStore::read_expired(count_max); });
}
Result<std::vector<std::optional<QueuedRun>>> FaultyStore::read_runs(std::span<const Seq> seqs) {
  return pass(a_read, [&] { return PassingStore::read_runs(seqs); });
}
Result<std::optional<std::string>> FaultyStore::read_result(Seq run) {
  return pass(a_read, [&] { return PassingStore::read_result(run); });
}
Result<Instant> FaultyStore::store_now() {
  return pass(a_read, [&] { return PassingStore::store_now(); });
}

}  // namespace carillon::simulation
