#include "conformance/query_comparison.hpp"

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
      {.labels = {{.key = "team"}, {"odd", "1"}}},
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

}  // namespace carillon::conformance
