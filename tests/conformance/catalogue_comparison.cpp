#include "conformance/catalogue_comparison.hpp"

#include "conformance/model_comparison.hpp"
#include "conformance/store_test.hpp"

#include <algorithm>
#include <ranges>
#include <tuple>

namespace carillon::conformance {
namespace {

const std::string& document_of(const Model::Schedule& schedule) { return schedule.definitions.back().second.document; }

/// As the documents of random commands have it.
bool says(const Model::Schedule& schedule, std::string_view text) {
  return document_of(schedule).find(text) != std::string::npos;
}

bool is_queued_or_retrying(const Model::Row& row) {
  const RunState state = row.run.run.state;
  return row.outcome == DecisionOutcome::started && (state == RunState::queued || state == RunState::retrying);
}

bool is_running(const Model::Row& row) {
  return row.outcome == DecisionOutcome::started && row.run.run.state == RunState::running;
}

std::vector<Uid> uids_of(const std::vector<ScheduleRecord>& records) {
  std::vector<Uid> uids;
  for (const ScheduleRecord& record : records) uids.push_back(record.view.state.uid);
  return uids;
}

/// What the model knows of a line that the store has shown.
template <typename Line>
const Line* line_at(const Model& model, Seq seq) {
  for (const Model::Line& line : model.ledger) {
    const auto* found = std::get_if<Line>(&line.record);
    if (found && found->head.seq == seq) return found;
  }
  return nullptr;
}

}  // namespace

void CatalogueComparison::compare() {
  compare_schedules();
  compare_lists();
  compare_waking();
  compare_run_lists();
  compare_run_records();
  compare_names();
  compare_decisions();
  compare_queues();
}

void CatalogueComparison::compare_schedules() {
  for (const Model::Schedule& schedule : model_.schedules) {
    const auto uid = number(schedule.state.uid);
    const auto record = must(catalogue_.read_schedule(schedule.state.uid));
    expect(record.has_value() != schedule.state.deleted_at.has_value(), "schedule {} should be shown: {}", uid,
           !schedule.state.deleted_at);
    if (record) compare_record(*record, schedule);
    const Model::Schedule& newest = *model_.find(schedule.key);
    const auto named = must(catalogue_.read_schedule(schedule.key));
    expect(named.has_value() != newest.state.deleted_at.has_value(), "schedule {} should be found by its name: {}",
           number(newest.state.uid), !newest.state.deleted_at);
    if (named) expect(named->view.state.uid == newest.state.uid, "another schedule has the name of {}", uid);
    auto backfills = schedule.backfills;
    std::ranges::sort(backfills, std::greater{}, &Backfill::number);
    expect(must(catalogue_.read_backfills(schedule.state.uid)) == backfills, "the backfills of {} differ", uid);
  }
}

void CatalogueComparison::compare_record(const ScheduleRecord& record, const Model::Schedule& expected) {
  const auto uid = number(expected.state.uid);
  compare_view(record.view, expected);
  expect(record.key == expected.key, "record {}: another name", uid);
  expect(record.document == document_of(expected), "record {}: another document", uid);
  expect(record.created_at == expected.state.created_at, "record {}: another time of creation", uid);
  expect(record.owner == "ann", "record {}: its owner is {}", uid, record.owner);
  expect(record.quarantine == expected.quarantine, "record {}: another quarantine", uid);
  expect(record.pause.has_value() == expected.state.paused_at.has_value(), "record {}: paused should be {}", uid,
         expected.state.paused_at.has_value());
  if (record.pause)
    expect(record.pause->reason == expected.pause_reason && record.pause->by == "ann", "record {}: another pause", uid);
  for (const Model::Line& line : model_.ledger | std::views::reverse) {
    const auto* change = std::get_if<ChangeLine>(&line.record);
    if (!change || line.uid != expected.state.uid) continue;
    expect(record.updated_at == change->head.at, "record {}: another time of its newest change", uid);
    break;
  }
}

std::vector<const Model::Schedule*> CatalogueComparison::in_order() const {
  auto living = model_.living();
  std::ranges::sort(living, {}, [](const Model::Schedule* schedule) {
    return std::pair{schedule->key.name_space.text(), folded(schedule->key.id.text())};
  });
  return living;
}

void CatalogueComparison::compare_lists() {
  using Schedule = Model::Schedule;
  compare_list({}, [](const Schedule&) { return true; }, "all");
  compare_list(
      {.name_space = "other"}, [](const Schedule& one) { return one.key.name_space.text() == "other"; }, "namespace");
  for (const ScheduleStatus status : {ScheduleStatus::active, ScheduleStatus::paused, ScheduleStatus::dead})
    compare_list(
        {.statuses = {status, ScheduleStatus::done}},
        [&](const Schedule& one) { return one.state.status == status || one.state.status == ScheduleStatus::done; },
        "status");
  compare_list({.labels = {{"team", "a"}}}, [](const Schedule& one) { return says(one, R"("team":"a")"); }, "label");
  compare_list(
      {.labels = {{"team", ""}, {"odd", "1"}}},
      [](const Schedule& one) { return says(one, R"("team":)") && says(one, R"("odd":"1")"); }, "labels");
  compare_list({.action = "job"}, [](const Schedule& one) { return says(one, R"("job")"); }, "action");
  compare_list({.workflow = "7"}, [](const Schedule& one) { return says(one, R"("workflowId":7)"); }, "workflow");
  compare_list({.text = "LPH"}, [](const Schedule& one) { return folded(one.key.id.text()) == "alpha"; }, "text");
  compare_list(
      {.next_before = model_.now + 1ms},
      [&](const Schedule& one) { return one.state.wake && *one.state.wake < model_.now + 1ms; }, "next");
}

void CatalogueComparison::compare_list(const ScheduleFilter& filter, const WantsSchedule& wants, const char* what) {
  std::vector<Uid> expected;
  for (const Model::Schedule* schedule : in_order())
    if (wants(*schedule)) expected.push_back(schedule->state.uid);

  const ScheduleList whole = must(catalogue_.list_schedules({.filter = filter, .after = {}, .count_max = all}));
  expect(uids_of(whole.items) == expected, "list by {}: {} schedules instead of {}", what, whole.items.size(),
         expected.size());
  expect(whole.total == number(expected.size()) && !whole.has_more, "list by {}: a total of {}", what, whole.total);
  expect(whole.store_now == model_.now, "list by {}: another time", what);

  std::vector<Uid> in_pages;
  std::optional<ScheduleKey> after;
  while (true) {
    const ScheduleList page = must(catalogue_.list_schedules({.filter = filter, .after = after, .count_max = 2}));
    expect(page.total == whole.total, "list by {}: another total on a page", what);
    std::ranges::copy(uids_of(page.items), std::back_inserter(in_pages));
    if (!page.has_more) break;
    after = page.items.back().key;
  }
  expect(in_pages == expected, "list by {}: pages have {} schedules", what, in_pages.size());
  const ScheduleList rest =
      must(catalogue_.list_schedules({.filter = filter, .after = {}, .offset = 1, .count_max = all}));
  expect(std::ranges::equal(uids_of(rest.items), expected | std::views::drop(1)), "list by {}: another offset", what);
}

void CatalogueComparison::compare_waking() {
  const Instant before = model_.now + 300ms;
  std::vector<const Model::Schedule*> waking;
  for (const Model::Schedule* schedule : model_.living())
    if (schedule->state.wake && *schedule->state.wake < before) waking.push_back(schedule);
  std::ranges::sort(waking, {}, [](const Model::Schedule* one) { return std::pair{*one->state.wake, one->state.uid}; });
  std::vector<Uid> expected;
  std::vector<Uid> in_default;
  for (const Model::Schedule* schedule : waking) {
    expected.push_back(schedule->state.uid);
    if (schedule->key.name_space.text() == "default") in_default.push_back(schedule->state.uid);
  }
  expect(uids_of(must(catalogue_.read_waking(std::nullopt, before, all))) == expected, "others wake");
  expect(uids_of(must(catalogue_.read_waking("default", before, all))) == in_default, "others wake in a namespace");
  expect(must(catalogue_.read_waking(std::nullopt, before, 1)).size() == std::min<std::size_t>(expected.size(), 1),
         "more wake than asked for");
}

std::string CatalogueComparison::namespace_of(const Model::Row& row) const {
  const Model::Schedule* owner = model_.schedule(row.run.uid);
  return owner ? owner->key.name_space.text() : row.run.name_space;
}

void CatalogueComparison::compare_run_lists() {
  using Row = Model::Row;
  const auto is_started = [](const Row& row) { return row.outcome == DecisionOutcome::started; };
  compare_run_list({}, is_started, "nothing");
  compare_run_list({.with_decisions = true}, [](const Row&) { return true; }, "nothing, with decisions");
  compare_run_list(
      {.states = {RunState::running, RunState::failed}},
      [&](const Row& row) { return is_running(row) || (is_started(row) && row.run.run.state == RunState::failed); },
      "state");
  compare_run_list(
      {.states = {RunState::waiting}, .with_decisions = true},
      [](const Row& row) { return row.outcome == DecisionOutcome::waiting; }, "waiting");
  compare_run_list(
      {.sources = {Source::adhoc}}, [](const Row& row) { return row.run.source == Source::adhoc; }, "source");
  compare_run_list(
      {.name_space = "other"}, [&](const Row& row) { return is_started(row) && namespace_of(row) == "other"; },
      "namespace");
  compare_run_list(
      {.queue = "fast"}, [&](const Row& row) { return is_started(row) && row.run.queue == "fast"; }, "queue");
  compare_run_list(
      {.queue = "fast", .with_decisions = true},
      [&](const Row& row) { return row.outcome != DecisionOutcome::skipped && row.run.queue == "fast"; },
      "queue, with decisions");
  for (const Model::Schedule& schedule : model_.schedules) {
    const Uid uid = schedule.state.uid;
    compare_run_list(
        {.uid = uid, .with_decisions = true}, [&](const Row& row) { return row.run.uid == uid; }, "schedule");
  }
}

void CatalogueComparison::compare_run_list(RunFilter filter, const WantsRow& wants, const char* what) {
  std::vector<Seq> expected;
  for (const Model::Row& row : model_.rows)
    if (wants(row)) expected.push_back(row.seq);
  std::ranges::sort(expected, std::greater{});

  RunListRequest request{.filter = std::move(filter), .before = {}, .count_max = all, .scan_max = all};
  const auto seqs_of_runs = [](const RunList& list) {
    std::vector<Seq> seqs;
    for (const RunRecordRow& item : list.items) seqs.push_back(item.row.seq);
    return seqs;
  };
  const RunList whole = must(catalogue_.list_runs(request));
  expect(seqs_of_runs(whole) == expected, "runs by {}: {} instead of {}", what, whole.items.size(), expected.size());
  expect(!whole.next, "runs by {}: more after all", what);

  request.count_max = 2;
  request.scan_max = 5;
  std::vector<Seq> in_pages;
  while (true) {
    const RunList page = must(catalogue_.list_runs(request));
    expect(page.items.size() <= 2, "runs by {}: a page of {}", what, page.items.size());
    std::ranges::copy(seqs_of_runs(page), std::back_inserter(in_pages));
    if (!page.next) break;
    expect(!request.before || *page.next < *request.before, "runs by {}: pages do not go on", what);
    request.before = page.next;
  }
  expect(in_pages == expected, "runs by {}: pages have {} instead of {}", what, in_pages.size(), expected.size());
}

void CatalogueComparison::compare_run_records() {
  std::vector<Seq> seqs;
  for (const Model::Row& row : model_.rows) seqs.push_back(row.seq);
  const auto records = must(catalogue_.read_run_records(seqs));
  expect(records.size() == seqs.size(), "not one record for each seq");
  for (std::size_t i = 0; i < seqs.size(); ++i) {
    const Model::Row& row = model_.rows[i];
    const auto seq = number(row.seq);
    expect(records[i].has_value(), "decision {} has no record", seq);
    const RunRecordRow& record = *records[i];
    const Model::Schedule* owner = model_.schedule(row.run.uid);
    expect(record.outcome == row.outcome, "record of {}: {} instead of {}", seq, to_text(record.outcome),
           to_text(row.outcome));
    expect(record.name_space == namespace_of(row), "record of {}: it is of {}", seq, record.name_space);
    expect(record.key.has_value() == (owner != nullptr), "record of {}: whose it is differs", seq);
    expect(record.row.nominal == row.run.nominal || owner == nullptr, "record of {}: another nominal time", seq);
    expect(record.row.trigger == row.run.trigger, "record of {}: another trigger", seq);
    if (owner) {
      expect(*record.key == owner->key, "record of {}: another schedule", seq);
      const DecisionLine& line = *line_at<DecisionLine>(model_, row.seq);
      expect(record.row.due == line.due && record.row.source == line.source && record.reason == line.reason,
             "record of {}: another decision", seq);
    }
    if (row.outcome != DecisionOutcome::started || row.was_cancelled_waiting) continue;
    expect(is_equal(record.row, row.run), "record of {}: another run", seq);
    expect(record.result == row.result, "record of {}: another result", seq);
    expect(number(record.attempts.size()) == row.run.run.attempt, "record of {}: {} attempts", seq,
           record.attempts.size());
    compare_attempts(record);
  }
  const Seq nobody = no_such_run;
  expect(!must(catalogue_.read_run_records(std::span{&nobody, 1})).at(0), "a record of nothing");
}

void CatalogueComparison::compare_attempts(const RunRecordRow& record) {
  std::size_t i = 0;
  for (const Model::Line& line : model_.ledger) {
    const auto* wanted = std::get_if<AttemptLine>(&line.record);
    if (!wanted || line.run != record.row.seq) continue;
    const AttemptRecord& attempt = record.attempts.at(i++);
    expect(attempt.attempt == wanted->attempt && attempt.worker == wanted->worker && attempt.state == wanted->state &&
               attempt.claimed_at == wanted->claimed_at && attempt.launched_at == wanted->launched_at &&
               attempt.ended_at == wanted->ended_at && attempt.exit_code == wanted->exit_code &&
               attempt.error == wanted->reason,
           "record of {}: attempt {} differs", number(record.row.seq), attempt.attempt);
  }
}

void CatalogueComparison::compare_names() {
  for (const Model::Row& row : model_.rows) {
    const Model::Schedule* owner = model_.schedule(row.run.uid);
    const std::string name = owner ? name_of(*owner, row.run) : row.run.trigger;
    const auto found = must(catalogue_.find_run(namespace_of(row), name));
    const bool has_run = row.outcome != DecisionOutcome::skipped;
    expect(found == (has_run ? std::optional{row.seq} : std::nullopt), "{} is found: {}", name, found.has_value());
    expect(!must(catalogue_.find_run("elsewhere", name)), "{} is found in another namespace", name);
  }
}

void CatalogueComparison::compare_decisions() {
  const Instant from = noon + 1min;
  const Instant to = noon + 4min;
  for (const Model::Schedule& schedule : model_.schedules) {
    const Uid uid = schedule.state.uid;
    std::vector<const Model::Row*> expected;
    for (const Model::Row& row : model_.rows)
      if (row.run.uid == uid && row.run.nominal >= from && row.run.nominal < to) expected.push_back(&row);
    for (const std::size_t count_max : {all, 2UZ}) {
      std::vector<const Model::Row*> newest = expected;
      if (newest.size() > count_max)
        newest.erase(newest.begin(), newest.end() - static_cast<std::ptrdiff_t>(count_max));
      std::ranges::sort(newest, {}, [](const Model::Row* row) { return std::pair{row->run.nominal, row->seq}; });
      const PastDecisions past = must(catalogue_.read_decisions(uid, from, to, count_max));
      expect(std::ranges::equal(
                 past.rows, newest, {}, [](const RunRecordRow& record) { return record.row.seq; },
                 [](const Model::Row* row) { return row->seq; }),
             "decisions of {}: {} instead of {}", number(uid), past.rows.size(), newest.size());
    }
    std::size_t range_count = 0;
    std::size_t void_count = 0;
    std::size_t change_count = 0;
    for (const Model::Line& line : model_.ledger) {
      if (line.uid != uid) continue;
      const auto* range = std::get_if<RangeLine>(&line.record);
      const auto* voided = std::get_if<VoidLine>(&line.record);
      const auto* change = std::get_if<ChangeLine>(&line.record);
      range_count += range && range->from < to && range->to >= from;
      void_count += voided && voided->from < to && voided->to >= from;
      change_count += change && change->head.at < to;
    }
    const PastDecisions past = must(catalogue_.read_decisions(uid, from, to, all));
    expect(past.ranges.size() == range_count, "decisions of {}: other ranges", number(uid));
    expect(past.voids.size() == void_count, "decisions of {}: other voids", number(uid));
    expect(past.changes.size() == change_count, "decisions of {}: other changes", number(uid));
  }
}

void CatalogueComparison::compare_queues() {
  const auto records = must(catalogue_.read_queues());
  expect(records.size() == model_.queues.size(), "{} queues instead of {}", records.size(), model_.queues.size());
  for (const QueueRecord& record : records) {
    expect(model_.queues.contains(record.name) && model_.queues.at(record.name) == record.is_paused,
           "queue {}: paused is {}", record.name, record.is_paused);
    std::int64_t depth = 0;
    std::int64_t running = 0;
    std::optional<Instant> oldest;
    for (const Model::Row& row : model_.rows) {
      if (row.run.queue != record.name) continue;
      const Instant since = row.run.run.claimable_from;
      depth += is_queued_or_retrying(row);
      running += is_running(row);
      if (is_queued_or_retrying(row) && since <= model_.now) oldest = std::min(since, oldest.value_or(since));
    }
    expect(record.depth == depth && record.running == running, "queue {}: {} wait, {} run", record.name, record.depth,
           record.running);
    expect(record.oldest == oldest, "queue {}: another oldest", record.name);
  }
  const Totals totals = must(catalogue_.read_totals());
  std::optional<Instant> next_wake;
  for (const Model::Schedule* schedule : model_.living())
    if (const auto wake = schedule->state.wake) next_wake = std::min(*wake, next_wake.value_or(*wake));
  expect(totals.schedules == number(model_.living().size()), "{} schedules in all", totals.schedules);
  expect(totals.ready == std::ranges::count_if(model_.rows, is_queued_or_retrying), "{} wait in all", totals.ready);
  expect(totals.running == std::ranges::count_if(model_.rows, is_running), "{} run in all", totals.running);
  expect(totals.next_wake == next_wake, "another next wake");
}

void compare_feed(const Model& model, StoreUnderTest& store) {
  const FeedPage page = must(store.feed().read_events(0, all));
  expect(!page.is_gap, "feed: a gap");
  expect(page.events.size() == model.events.size(), "feed: {} events instead of {}", page.events.size(),
         model.events.size());
  std::int64_t last = 0;
  for (std::size_t i = 0; i < page.events.size(); ++i) {
    FeedEvent expected = model.events[i].event;
    if (const auto line = model.events[i].line)
      expected.subject = std::visit([](const auto& one) { return one.head.seq; }, model.ledger[*line].record);
    expect(page.events[i].position > last, "feed: positions do not ascend");
    last = expected.position = page.events[i].position;
    expect(page.events[i] == expected, "feed: event {} (kind {}, subject {}) should be of kind {} and about {}", i,
           number(page.events[i].kind), number(page.events[i].subject), number(expected.kind),
           number(expected.subject));
  }
  expect(page.newest >= last, "feed: the newest position is {}", page.newest);
  expect(must(store.feed().read_events(page.newest, all)).events.empty(), "feed: events after the newest");
}

}  // namespace carillon::conformance
