#include "conformance/model_comparison.hpp"
#include "conformance/query_comparison.hpp"
#include "conformance/store_test.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

namespace carillon::conformance {
namespace {

bool is_running(const Model::Row& row) {
  return row.outcome == DecisionOutcome::started && row.run.run.state == RunState::running;
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
    for (const RunRecordRow& item : list.items) seqs.push_back(item.seq);
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
    expect(record.nominal == row.run.nominal || owner == nullptr, "record of {}: another nominal time", seq);
    expect(record.trigger == row.run.trigger, "record of {}: another trigger", seq);
    if (owner) {
      expect(*record.key == owner->key, "record of {}: another schedule", seq);
      const DecisionLine& line = *line_at<DecisionLine>(model_, row.seq);
      expect(record.due == line.due && record.source == line.source && record.reason == line.reason,
             "record of {}: another decision", seq);
    }
    if (row.outcome != DecisionOutcome::started || row.was_cancelled_waiting) continue;
    expect(is_equal(record, row.run), "record of {}: another run", seq);
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
    if (!wanted || line.run != record.seq) continue;
    const AttemptRecord& attempt = record.attempts.at(i++);
    expect(attempt.attempt == wanted->attempt && attempt.worker == wanted->worker && attempt.state == wanted->state &&
               attempt.claimed_at == wanted->claimed_at && attempt.launched_at == wanted->launched_at &&
               attempt.ended_at == wanted->ended_at && attempt.exit_code == wanted->exit_code &&
               attempt.error == wanted->reason,
           "record of {}: attempt {} differs", number(record.seq), attempt.attempt);
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
                 past.rows, newest, {}, [](const RunRecordRow& record) { return record.seq; },
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

}  // namespace carillon::conformance
