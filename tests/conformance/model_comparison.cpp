#include "conformance/model_comparison.hpp"

#include "conformance/query_comparison.hpp"
#include "conformance/store_test.hpp"

#include <algorithm>

namespace carillon::conformance {
namespace {

std::vector<Seq> sorted(std::vector<Seq> seqs) {
  std::ranges::sort(seqs);
  return seqs;
}

/// What the port leaves open is not compared: the state of a withdrawn run, and whether an ended one was held back.
bool is_equal(LiveRun left, LiveRun right) {
  if (right.withdrawn) left.state = right.state;
  if (right.state != RunState::waiting || right.withdrawn) left.is_held_back = right.is_held_back;
  return left == right;
}

bool is_adhoc(const LedgerRecord& record) {
  if (const auto* line = std::get_if<AttemptLine>(&record)) return line->run.starts_with('~');
  if (const auto* line = std::get_if<DecisionLine>(&record)) return line->source == Source::adhoc;
  return false;
}

void compare_lines(const DecisionLine& line, const DecisionLine& wanted) {
  const auto seq = number(line.head.seq);
  expect(line.nominal == wanted.nominal && line.due == wanted.due && line.source == wanted.source,
         "ledger: decision {} is about another occurrence", seq);
  expect(line.outcome == wanted.outcome, "ledger: decision {} is {} instead of {}", seq, to_text(line.outcome),
         to_text(wanted.outcome));
  expect(line.reason == wanted.reason, "ledger: the reason of decision {} differs", seq);
  expect(line.ended_at == wanted.ended_at, "ledger: the end of decision {} differs", seq);
  if (wanted.run) expect(line.run == wanted.run, "ledger: decision {} is named {}", seq, line.run.value_or("-"));
  // Whether one that still waits says so already is left open.
  if (line.outcome == DecisionOutcome::waiting) return;
  expect(line.waited_from.has_value() == wanted.waited_from.has_value(), "ledger: decision {} waited: {}", seq,
         line.waited_from.has_value());
}

void compare_lines(const AttemptLine& line, const AttemptLine& wanted) {
  expect(line.run == wanted.run && line.attempt == wanted.attempt && line.worker == wanted.worker &&
             line.state == wanted.state && line.claimed_at == wanted.claimed_at &&
             line.launched_at == wanted.launched_at && line.ended_at == wanted.ended_at &&
             line.exit_code == wanted.exit_code && line.reason == wanted.reason,
         "ledger: attempt {} of {} ({}) differs: it should be {}", line.attempt, line.run, to_text(line.state),
         to_text(wanted.state));
}

void compare_lines(const RangeLine& line, const RangeLine& wanted) {
  expect(line.revision == wanted.revision && line.from == wanted.from && line.to == wanted.to &&
             line.count == wanted.count && line.reason == wanted.reason,
         "ledger: range {} differs", number(line.head.seq));
}

void compare_lines(const ChangeLine& line, const ChangeLine& wanted) {
  expect(line.revision == wanted.revision && line.kind == wanted.kind && line.by == wanted.by &&
             line.document == wanted.document,
         "ledger: change {} differs", number(line.head.seq));
}

void compare_lines(const BackfillLine& line, const BackfillLine& wanted) {
  expect(line.id == wanted.id && line.from == wanted.from && line.to == wanted.to && line.state == wanted.state &&
             line.done == wanted.done && line.total == wanted.total,
         "ledger: backfill {} differs", number(line.head.seq));
}

void compare_lines(const VoidLine& line, const VoidLine& wanted) {
  expect(line.from == wanted.from && line.to == wanted.to, "ledger: void {} differs", number(line.head.seq));
}

}  // namespace

bool is_equal(const QueuedRun& left, const QueuedRun& right) {
  const bool is_same_work = left.revision == right.revision && left.nominal == right.nominal && left.due == right.due &&
                            left.backfill == right.backfill && left.trigger == right.trigger &&
                            left.payload == right.payload && left.last_success == right.last_success &&
                            left.last_failure == right.last_failure && left.repeat_number == right.repeat_number;
  // How a row names the work of a job without a schedule is left open.
  return (is_same_work || left.source == Source::adhoc) && left.seq == right.seq && left.uid == right.uid &&
         left.source == right.source && left.queue == right.queue && left.priority == right.priority &&
         left.session == right.session && left.run == right.run;
}

void ModelComparison::compare() {
  compare_schedules();
  compare_runs();
  compare_sessions();
  compare_ledger();
  compare_feed();
  // What people are shown takes as long to compare as all the rest, and hides no difference for long.
  if (++count_ % 4 == 0) CatalogueComparison{model_, store_}.compare();
}

void ModelComparison::compare_schedules() {
  ScheduleStore& store = store_.ports().schedules;
  compare_views(must(store.read_page(Uid{}, all)).views, model_.living(), "page");
  for (const Model::Schedule& schedule : model_.schedules) {
    const auto found = must(store.find(schedule.key));
    expect(found.store_now == model_.now, "find: the store's time is {}", to_text(found.store_now));
    expect(found.zone_edition == model_.zone_edition, "find: another zone edition is in force");
    expect(found.view.has_value(), "find: nothing under {}", schedule.key.id.text());
    compare_view(*found.view, *model_.find(schedule.key));
    compare_definitions(schedule);
    const Uid uid = schedule.state.uid;
    expect(must(store.read_quarantine(uid)) == schedule.quarantine, "quarantine of {} differs", number(uid));
    expect(must(store.read_past_runs(uid, instant_min, instant_max)) == model_.past_runs(uid), "past runs of {} differ",
           number(uid));
  }
  for (const auto& [request, is_written] : model_.requests) {
    expect(must(store.find_written(request)).has_value() == is_written, "request {}: written should be {}", request,
           is_written);
  }
  for (const ServerShare share : {ServerShare{}, ServerShare{0, 2}, ServerShare{1, 2}}) {
    compare_due(share, model_.zone_edition);
    compare_due(share, ZoneEdition{1});
  }
}

void ModelComparison::compare_due(ServerShare share, ZoneEdition rules) {
  for (const std::size_t count_max : {all, 0UZ, 1UZ, 2UZ}) {
    const auto due = must(store_.ports().schedules.read_due({.count_max = count_max, .share = share, .rules = rules}));
    auto expected = model_.due(share, rules);
    if (expected.size() > count_max) expected.resize(count_max);
    compare_views(due.views, expected, "due");
    compare_next_wake(due, share, rules);
  }
}

void ModelComparison::compare_next_wake(const DueSchedules& due, ServerShare share, ZoneEdition rules) {
  std::optional<Instant> next;
  for (const Model::Schedule* schedule : model_.living()) {
    const auto is_it = [&](const ScheduleView& view) { return view.state.uid == schedule->state.uid; };
    if (!schedule->state.wake || std::ranges::any_of(due.views, is_it)) continue;
    if (schedule->state.zone_edition != ZoneEdition::none && rules != model_.zone_edition) continue;
    const Duration delay = is_in(share, schedule->state.uid) ? Duration{0} : overdue_for_all;
    next = std::min(next.value_or(instant_max), *schedule->state.wake + delay);
  }
  expect(due.next_wake == next, "next wake after {} views should be {}", due.views.size(),
         next ? to_text(*next) : "none");
}

void ModelComparison::compare_views(const std::vector<ScheduleView>& views,
                                    const std::vector<const Model::Schedule*>& expected, const char* where) {
  expect(views.size() == expected.size(), "{}: {} views instead of {}", where, views.size(), expected.size());
  for (std::size_t i = 0; i < views.size(); ++i) {
    expect(views[i].state.uid == expected[i]->state.uid, "{}: at {} stands {} instead of {}", where, i,
           number(views[i].state.uid), number(expected[i]->state.uid));
    compare_view(views[i], *expected[i]);
  }
}

void compare_view(const ScheduleView& view, const Model::Schedule& expected) {
  const auto uid = number(expected.state.uid);
  const auto wake = [](const ScheduleState& state) { return state.wake ? to_text(*state.wake) : "none"; };
  expect(view.state.wake == expected.state.wake, "schedule {}: wakes at {} instead of {}", uid, wake(view.state),
         wake(expected.state));
  expect(view.state == expected.state, "schedule {}: its state (version {}) differs", uid, view.state.version);
  expect(view.live.size() == expected.live.size(), "schedule {}: {} live runs instead of {}", uid, view.live.size(),
         expected.live.size());
  for (std::size_t i = 0; i < view.live.size(); ++i) {
    expect(is_equal(view.live[i], expected.live[i]), "schedule {}: live run {} ({}) differs from {} ({})", uid,
           number(view.live[i].seq), to_text(view.live[i].state), number(expected.live[i].seq),
           to_text(expected.live[i].state));
  }
  std::map<std::int64_t, Backfill> open;
  for (const BackfillView& backfill : view.backfills) open[backfill.record.number] = backfill.record;
  std::map<std::int64_t, Backfill> expected_open;
  for (const Backfill& backfill : expected.backfills) {
    if (is_open(backfill.state)) expected_open[backfill.number] = backfill;
  }
  expect(open == expected_open, "schedule {}: its open backfills differ", uid);
}

void ModelComparison::compare_definitions(const Model::Schedule& expected) {
  for (std::int64_t revision = 0; revision <= expected.state.revision + 1; ++revision) {
    const StoredDefinition* newest = nullptr;
    for (const auto& [from, definition] : expected.definitions) {
      if (from <= revision) newest = &definition;
    }
    const DefinitionName name{.uid = expected.state.uid, .revision = revision};
    const auto stored = must(store_.ports().schedules.read_definitions(std::span{&name, 1})).at(0);
    expect(stored.has_value() == (newest != nullptr), "definition {}/{} should exist: {}", number(name.uid), revision,
           newest != nullptr);
    if (!newest) continue;
    expect(
        stored->document == newest->document && stored->key == newest->key && stored->created_at == newest->created_at,
        "definition {}/{} differs", number(name.uid), revision);
  }
}

void ModelComparison::compare_runs() {
  RunQueue& queue = store_.ports().runs;
  std::vector<Seq> seqs;
  for (const Model::Row& row : model_.rows) seqs.push_back(row.seq);
  const auto runs = must(queue.read_runs(seqs));
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Model::Row& row = model_.rows[i];
    const auto seq = number(row.seq);
    // Whether a decision that waits has a run to show is left open.
    if (row.outcome == DecisionOutcome::waiting) continue;
    const bool is_started = row.outcome == DecisionOutcome::started;
    expect(runs[i].has_value() == is_started, "run {} should exist: {}", seq, is_started);
    if (!is_started) continue;
    if (row.was_cancelled_waiting) {
      expect(runs[i]->run.state == RunState::cancelled, "run {} should be cancelled", seq);
    } else {
      expect(is_equal(*runs[i], row.run), "run {} ({}) differs: it should be {}", seq, to_text(runs[i]->run.state),
             to_text(row.run.run.state));
    }
    expect(must(queue.read_result(row.seq)) == row.result, "the result of run {} differs", seq);
  }
}

void ModelComparison::compare_sessions() {
  RunQueue& queue = store_.ports().runs;
  expect(sorted(seqs_of(must(queue.read_lost(all)))) == model_.lost(), "the lost runs differ");
  expect(sorted(seqs_of(must(queue.read_expired(all)))) == model_.expired(), "the expired runs differ");
  for (const Model::Session& session : model_.sessions) {
    // What a session that is over still has is a matter of read_lost.
    if (model_.is_over(session.id)) continue;
    const auto held = must(queue.read_held(session.id));
    expect(sorted(seqs_of(held)) == model_.held(session.id), "the runs of session {} differ", number(session.id));
    for (const ClaimedRun& claimed : held) {
      const Model::Row& row = *model_.row(claimed.row.seq);
      expect(is_equal(claimed.row, row.run), "held run {} differs", number(row.seq));
      expect(claimed.fence == row.fence, "held run {}: its fence differs", number(row.seq));
      expect(claimed.lease_until == session.lease_until, "held run {}: its lease differs", number(row.seq));
    }
  }
}

void ModelComparison::compare_ledger() {
  auto records = must(store_.ports().schedules.read_ledger(Seq{}, all));
  // How jobs without a schedule show in the ledger is left open.
  std::erase_if(records, is_adhoc);
  expect(records.size() == model_.ledger.size(), "ledger: {} lines instead of {}", records.size(),
         model_.ledger.size());
  Seq last{};
  for (std::size_t i = 0; i < records.size(); ++i) {
    compare_line(records[i], model_.ledger[i]);
    const Seq seq = std::visit([](const auto& line) { return line.head.seq; }, records[i]);
    expect(seq > last, "ledger: seq {} follows {}", number(seq), number(last));
    last = seq;
  }
}

void ModelComparison::compare_feed() {
  const FeedPage page = must(store_.ports().events.read_events(0, all));
  expect(!page.is_gap, "feed: a gap");
  expect(page.events.size() == model_.events.size(), "feed: {} events instead of {}", page.events.size(),
         model_.events.size());
  std::int64_t last = 0;
  for (std::size_t i = 0; i < page.events.size(); ++i) {
    FeedEvent expected = model_.events[i].event;
    if (const auto line = model_.events[i].line)
      expected.subject = std::visit([](const auto& one) { return one.head.seq; }, model_.ledger[*line].record);
    expect(page.events[i].position > last, "feed: positions do not ascend");
    last = expected.position = page.events[i].position;
    expect(page.events[i] == expected, "feed: event {} (kind {}, subject {}) should be of kind {} and about {}", i,
           number(page.events[i].kind), number(page.events[i].subject), number(expected.kind),
           number(expected.subject));
  }
  expect(page.newest >= last, "feed: the newest position is {}", page.newest);
  expect(must(store_.ports().events.read_events(page.newest, all)).events.empty(), "feed: events after the newest");
}

void ModelComparison::compare_head(LineHead head, LineHead& expected, Uid uid) {
  if (expected.seq == Seq{}) expected.seq = head.seq;
  const auto seq = number(head.seq);
  expect(head.seq == expected.seq, "ledger: line {} stands where {} stood", seq, number(expected.seq));
  expect(head.at <= model_.now, "ledger: line {} is of the future", seq);
  expect(head.name_space == expected.name_space && head.schedule == expected.schedule, "ledger: line {} is of {}", seq,
         head.schedule.text());
  const auto [known, is_new] = incarnations_.try_emplace(uid, head.incarnation);
  expect(known->second == head.incarnation, "ledger: line {} is of another incarnation", seq);
}

void ModelComparison::compare_line(const LedgerRecord& record, Model::Line& expected) {
  expect(record.index() == expected.record.index(), "ledger: a line of kind {} stands where one of kind {} should",
         record.index(), expected.record.index());
  std::visit(
      [&]<typename Line>(Line& wanted) {
        // Outages have tests of their own: no schedule has any.
        if constexpr (!std::is_same_v<Line, OutageLine>) {
          const auto& line = std::get<Line>(record);
          compare_head(line.head, wanted.head, expected.uid);
          compare_lines(line, wanted);
        }
      },
      expected.record);
  if (const auto* line = std::get_if<DecisionLine>(&record); line && !expected.is_redecided) {
    const auto& wanted = std::get<DecisionLine>(expected.record);
    expect(line->revision == wanted.revision && line->version == wanted.version,
           "ledger: decision {} is of revision {} and version {}", number(line->head.seq), line->revision,
           line->version);
  }
}

}  // namespace carillon::conformance
