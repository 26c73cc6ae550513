#include "conformance/store_test.hpp"

#include <algorithm>

namespace carillon::conformance {
namespace {

constexpr std::size_t all = 1'000'000;

template <typename Rows>
std::vector<Seq> sorted_seqs(const Rows& rows) {
  std::vector<Seq> seqs = seqs_of(rows);
  std::ranges::sort(seqs);
  return seqs;
}

}  // namespace

RunUpdate update_of(const QueuedRun& row, const Run& next, AttemptEnd end) {
  return RunUpdate{.seq = row.seq,
                   .attempt = row.run.attempt,
                   .session = row.session,
                   .state = row.run.state,
                   .stop = row.run.stop,
                   .may_retry = row.run.may_retry,
                   .next = next,
                   .end = std::move(end)};
}

Run ended(Run run, RunState state, Instant now) {
  if (run.attempt > 0) run.attempt_state = parse_word<AttemptState>(to_text(state)).value();
  run.state = state;
  run.ended_at = now;
  return run;
}

Run retried(Run run, Instant claimable_from) {
  run.attempt_state = AttemptState::failed;
  run.state = RunState::retrying;
  run.claimable_from = claimable_from;
  return run;
}

StoreTest::StoreTest() : store_{GetParam().make()} { set_time(noon); }

void StoreTest::set_time(Instant now) {
  now_ = now;
  store_->set_time(now);
}

CommitResult StoreTest::commit(std::span<const Transition> transitions, std::optional<ClaimRequest> claim) {
  const Writer writer{.server = 7, .batch = ++batch_};
  return must(schedules().commit({.writer = writer, .transitions = transitions, .claim = std::move(claim)}));
}

WriteOutcome StoreTest::commit(const TransitionBuilder& builder) {
  return commit(std::span{&builder.transition(), 1}).items.at(0);
}

Result<CommitResult> StoreTest::commit(const TransitionBuilder& builder, const CommandMetadata& attached) {
  const Writer writer{.server = 7, .batch = ++batch_};
  return schedules().commit(
      {.writer = writer, .transitions = std::span{&builder.transition(), 1}, .attached = &attached});
}

WriteOutcome StoreTest::write(const TransitionBuilder& builder) {
  WriteOutcome written = commit(builder);
  if (written.outcome != WriteOutcome::Outcome::written) throw std::runtime_error{"the store refused a transition"};
  return written;
}

Uid StoreTest::create(const ScheduleKey& key) { return write(creation(key, now())).uid; }

ScheduleView StoreTest::view(const ScheduleKey& key) { return must(schedules().find(key)).view.value(); }

Seq StoreTest::enqueue(std::string name, std::string queue) {
  const AdhocRun job{.document = "{}", .name = std::move(name), .queue = std::move(queue), .rules = {}};
  return must(runs().enqueue(std::span{&job, 1}, {})).at(0);
}

Seq StoreTest::decide(std::string_view id, const DecisionBuilder& decision) {
  return write(next(id).decides(decision)).decisions.at(0);
}

std::optional<LiveRun> StoreTest::live(std::string_view id, Seq run) {
  const ScheduleView found = view(id);
  const auto entry = std::ranges::find(found.live, run, &LiveRun::seq);
  return entry == found.live.end() ? std::nullopt : std::optional{*entry};
}

DueSchedules StoreTest::read_due(std::size_t count_max, ServerShare share) {
  const ZoneEdition rules = must(schedules().read_page(Uid{}, 0)).zone_edition;
  return must(schedules().read_due({.count_max = count_max, .share = share, .rules = rules}));
}

std::vector<Uid> StoreTest::due(std::size_t count_max, ServerShare share) {
  std::vector<Uid> uids;
  for (const ScheduleView& found : read_due(count_max, share).views) uids.push_back(found.state.uid);
  return uids;
}

bool StoreTest::is_due(Uid uid) {
  const std::vector<Uid> uids = due();
  return std::ranges::find(uids, uid) != uids.end();
}

std::vector<ClaimedRun> StoreTest::claim(SessionId session, std::size_t count_max, std::vector<std::string> queues) {
  return must(runs().claim({.session = session, .queues = std::move(queues), .count_max = count_max})).runs;
}

ClaimedRun StoreTest::claim_one(SessionId session) {
  const auto claimed = claim(session);
  if (claimed.size() != 1) throw std::runtime_error{"there is not exactly one run to claim"};
  return claimed[0];
}

RunWritten StoreTest::write(const RunUpdate& update) { return must(runs().write(std::span{&update, 1})).at(0); }

RunWritten StoreTest::finish(const QueuedRun& row, RunState state, AttemptEnd end) {
  return write(update_of(row, ended(row.run, state, now()), std::move(end)));
}

std::optional<QueuedRun> StoreTest::run(Seq seq) { return must(runs().read_runs(std::span{&seq, 1})).at(0); }

std::vector<Seq> StoreTest::lost() { return sorted_seqs(must(runs().read_lost(all))); }
std::vector<Seq> StoreTest::expired() { return sorted_seqs(must(runs().read_expired(all))); }
std::vector<Seq> StoreTest::held(SessionId session) { return sorted_seqs(must(runs().read_held(session))); }

std::vector<LedgerRecord> StoreTest::ledger() { return must(schedules().read_ledger(Seq{}, all)); }

DecisionLine StoreTest::decision_line(Seq seq) {
  for (const DecisionLine& line : lines<DecisionLine>()) {
    if (line.head.seq == seq) return line;
  }
  throw std::runtime_error{"the ledger has no such decision"};
}

CommandMetadata attached(std::string operation, std::optional<std::string> key) {
  CommandMetadata made;
  made.audit = AuditEntry{.actor = "token:ann",
                          .address = "127.0.0.1",
                          .operation = std::move(operation),
                          .name_space = "default",
                          .target = "nightly",
                          .outcome = "done",
                          .before = {},
                          .after = {}};
  if (key) made.request = IdempotencyKey{.key = *std::move(key), .fingerprint = "f"};
  return made;
}

std::vector<Seq> seqs_of(const std::vector<ClaimedRun>& runs) {
  std::vector<Seq> seqs;
  for (const ClaimedRun& claimed : runs) seqs.push_back(claimed.row.seq);
  return seqs;
}

std::vector<Seq> seqs_of(const std::vector<QueuedRun>& runs) {
  std::vector<Seq> seqs;
  for (const QueuedRun& row : runs) seqs.push_back(row.seq);
  return seqs;
}

}  // namespace carillon::conformance
