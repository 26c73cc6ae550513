#include "conformance/store_test.hpp"

namespace carillon::conformance {
namespace {

CARILLON_CONFORMANCE_SUITE(Ledger);

TEST_P(Ledger, begins_empty) { EXPECT_THAT(ledger(), IsEmpty()); }

TEST_P(Ledger, rows_of_a_transition_stand_in_the_order_of_its_members) {
  create("nightly");
  const Seq held_up = decide("nightly", waiting(noon - 1h));
  const Seq last = seq_of(ledger().back());

  const WriteOutcome written =
      write(next("nightly")
                .has_backfill({.number = 1, .id = "bf", .from = noon, .to = noon + 1h, .cursor = noon, .total = 3})
                .edits("{\"a\":2}")
                .decides(starting(noon))
                .decides(skipping(noon, SkipReason::overlap))
                .skips_range({.from = noon - 30min, .to = noon - 1min, .count = 30, .reason = SkipReason::missed})
                .resolves(held_up, a_start(noon))
                .voids(noon - 50min, noon - 40min));

  const auto added = must(schedules().read_ledger(last, 100));
  ASSERT_THAT(added, SizeIs(6));
  const auto& voided = std::get<VoidLine>(added[0]);
  EXPECT_EQ(voided.from, noon - 50min);
  EXPECT_EQ(voided.to, noon - 40min);
  const auto& range = std::get<RangeLine>(added[1]);
  EXPECT_EQ(range.from, noon - 30min);
  EXPECT_EQ(range.to, noon - 1min);
  EXPECT_EQ(range.count, 30);
  EXPECT_EQ(range.reason, SkipReason::missed);
  EXPECT_EQ(range.revision, 1);
  EXPECT_EQ(std::get<DecisionLine>(added[2]).head.seq, written.decisions.at(0));
  EXPECT_EQ(std::get<DecisionLine>(added[3]).head.seq, written.decisions.at(1));
  const auto& change = std::get<ChangeLine>(added[4]);
  EXPECT_EQ(change.kind, ChangeKind::updated);
  EXPECT_EQ(change.revision, 2);
  EXPECT_EQ(change.by, "ann");
  const auto& backfill = std::get<BackfillLine>(added[5]);
  EXPECT_EQ(backfill.id, "bf");
  EXPECT_EQ(backfill.from, noon);
  EXPECT_EQ(backfill.to, noon + 1h);
  EXPECT_EQ(backfill.total, 3);
}

TEST_P(Ledger, a_decision_says_when_by_whom_and_from_what_it_was_made) {
  create("nightly");
  write(next("nightly"));
  advance(1min);

  const Seq seq = decide("nightly", starting(noon).due(noon + 5s));

  const DecisionLine line = decision_line(seq);
  EXPECT_EQ(line.head.at, noon + 1min);
  EXPECT_EQ(line.head.name_space.text(), "default");
  EXPECT_EQ(line.head.schedule.text(), "nightly");
  EXPECT_FALSE(line.server.empty());
  EXPECT_EQ(line.revision, 1);
  EXPECT_EQ(line.version, 2);
  EXPECT_EQ(line.nominal, noon);
  EXPECT_EQ(line.due, noon + 5s);
  EXPECT_EQ(line.source, Source::schedule);
  EXPECT_EQ(line.outcome, DecisionOutcome::started);
  EXPECT_EQ(line.reason, std::nullopt);
  EXPECT_EQ(line.run, "nightly@2026-03-01T12:00:00Z");
  EXPECT_EQ(line.ended_at, std::nullopt);
}

TEST_P(Ledger, runs_are_named_after_what_made_them) {
  create("nightly");
  write(next("nightly").has_backfill({.number = 2, .id = "bf", .from = noon, .to = noon + 1h, .cursor = noon}));

  EXPECT_EQ(decision_line(decide("nightly", starting(noon).source(Source::catchup))).run,
            "nightly@2026-03-01T12:00:00Z");
  EXPECT_EQ(decision_line(decide("nightly", starting(noon).trigger("t-1"))).run,
            "nightly@2026-03-01T12:00:00Z+trigger-t-1");
  EXPECT_EQ(decision_line(decide("nightly", starting(noon).of_backfill(2))).run,
            "nightly@2026-03-01T12:00:00Z+backfill-bf");
}

TEST_P(Ledger, what_is_decided_with_an_edit_stands_under_the_old_revision) {
  create("nightly");

  const Seq seq = write(next("nightly").decides(skipping(noon, SkipReason::overlap)).edits("{}")).decisions.at(0);

  EXPECT_EQ(view("nightly").state.revision, 2);
  EXPECT_EQ(decision_line(seq).revision, 1);
}

TEST_P(Ledger, a_creation_is_a_line_with_its_document) {
  write(creation(key_of("Nightly", "team"), noon, "{\"a\":1}"));

  const auto changes = lines<ChangeLine>();

  ASSERT_THAT(changes, SizeIs(1));
  EXPECT_EQ(changes[0].kind, ChangeKind::created);
  EXPECT_EQ(changes[0].head.name_space.text(), "team");
  EXPECT_EQ(changes[0].head.schedule.text(), "Nightly");
  EXPECT_EQ(changes[0].revision, 1);
  EXPECT_EQ(changes[0].document, "{\"a\":1}");
}

TEST_P(Ledger, incarnations_tell_schedules_of_one_id_apart) {
  create("nightly");
  const DecisionLine first = decision_line(start("nightly"));
  write(next("nightly").deletes());
  create("nightly");

  const DecisionLine second = decision_line(start("nightly"));

  EXPECT_NE(first.head.incarnation, second.head.incarnation);
  const auto changes = lines<ChangeLine>();
  ASSERT_THAT(changes, SizeIs(3));
  EXPECT_EQ(changes[0].head.incarnation, first.head.incarnation);
  EXPECT_EQ(changes[1].head.incarnation, first.head.incarnation);
  EXPECT_EQ(changes[2].head.incarnation, second.head.incarnation);
}

TEST_P(Ledger, an_attempt_is_a_line_from_the_claim_on) {
  create("nightly");
  const Seq seq = start("nightly");
  advance(2s);

  claim_one(open_session());

  const auto attempts = lines<AttemptLine>();
  ASSERT_THAT(attempts, SizeIs(1));
  EXPECT_GT(attempts[0].head.seq, seq);
  EXPECT_EQ(attempts[0].head.schedule.text(), "nightly");
  EXPECT_EQ(attempts[0].head.incarnation, decision_line(seq).head.incarnation);
  EXPECT_EQ(attempts[0].run, decision_line(seq).run);
  EXPECT_EQ(attempts[0].attempt, 1);
  EXPECT_EQ(attempts[0].worker, "worker-1");
  EXPECT_EQ(attempts[0].state, AttemptState::claimed);
  EXPECT_EQ(attempts[0].claimed_at, noon + 2s);
  EXPECT_EQ(attempts[0].launched_at, std::nullopt);
  EXPECT_EQ(attempts[0].ended_at, std::nullopt);
}

TEST_P(Ledger, each_attempt_keeps_its_own_line) {
  create("nightly");
  start("nightly");
  const SessionId session = open_session(1h);
  QueuedRun row = claim_one(session).row;
  advance(5s);
  write(update_of(row, retried(row.run, noon + 10s), {.launched_at = noon + 1s, .exit_code = 3, .error = "it broke"}));
  advance(5s);
  row = claim_one(session).row;
  const auto before = lines<AttemptLine>();
  advance(1s);
  finish(row, RunState::succeeded, {.launched_at = noon + 10s, .exit_code = 0});

  const auto attempts = lines<AttemptLine>();

  ASSERT_THAT(attempts, SizeIs(2));
  EXPECT_EQ(attempts[0].head.seq, before.at(0).head.seq);
  EXPECT_EQ(attempts[1].head.seq, before.at(1).head.seq);
  EXPECT_EQ(attempts[0].attempt, 1);
  EXPECT_EQ(attempts[0].state, AttemptState::failed);
  EXPECT_EQ(attempts[0].launched_at, noon + 1s);
  EXPECT_EQ(attempts[0].ended_at, noon + 5s);
  EXPECT_EQ(attempts[0].exit_code, 3);
  EXPECT_EQ(attempts[0].reason, "it broke");
  EXPECT_EQ(attempts[1].attempt, 2);
  EXPECT_EQ(attempts[1].state, AttemptState::succeeded);
  EXPECT_EQ(attempts[1].claimed_at, noon + 10s);
  EXPECT_EQ(attempts[1].ended_at, noon + 11s);
  EXPECT_EQ(attempts[1].exit_code, 0);
}

TEST_P(Ledger, an_attempt_ended_when_its_report_says) {
  create("nightly");
  start("nightly");
  const QueuedRun row = claim_one(open_session()).row;
  advance(5s);

  write(update_of(row, retried(row.run, noon + 10s), {.ended_at = noon + 4s}));

  EXPECT_EQ(lines<AttemptLine>().at(0).ended_at, noon + 4s);
}

TEST_P(Ledger, a_refused_write_leaves_the_attempt_as_it_was) {
  create("nightly");
  start("nightly");
  RunUpdate update = update_of(claim_one(open_session()).row, {});
  update.next = ended(update.next, RunState::failed, noon);
  ++update.attempt;
  update.end.exit_code = 9;

  write(update);

  EXPECT_EQ(lines<AttemptLine>().at(0).state, AttemptState::claimed);
  EXPECT_EQ(lines<AttemptLine>().at(0).exit_code, std::nullopt);
}

TEST_P(Ledger, seqs_ascend_over_all_that_is_written) {
  create("a");
  create("b");
  const SessionId session = open_session();
  for (int i = 0; i < 3; ++i) {
    start("a");
    start("b");
    claim(session);
  }

  const auto records = ledger();

  EXPECT_THAT(records, SizeIs(14));
  for (std::size_t i = 1; i < records.size(); ++i) EXPECT_LT(seq_of(records[i - 1]), seq_of(records[i]));
}

TEST_P(Ledger, is_read_in_pieces_without_gap_or_repetition) {
  create("nightly");
  for (int i = 0; i < 10; ++i) start("nightly");
  const auto whole = ledger();

  std::vector<Seq> read;
  Seq after{};
  while (true) {
    const auto piece = must(schedules().read_ledger(after, 3));
    if (piece.empty()) break;
    EXPECT_LE(piece.size(), 3);
    for (const LedgerRecord& record : piece) read.push_back(seq_of(record));
    after = read.back();
    ASSERT_LE(read.size(), whole.size());
  }

  ASSERT_EQ(read.size(), whole.size());
  for (std::size_t i = 0; i < whole.size(); ++i) EXPECT_EQ(read[i], seq_of(whole[i]));
}

TEST_P(Ledger, no_line_is_dated_after_the_present) {
  create("nightly");
  // What is less than a step of the clock: behind one, it would be refused.
  auto transition = after(view("nightly").state, now() + 400ms);

  write(transition.decides(starting(noon)));

  for (const LedgerRecord& record : ledger()) {
    EXPECT_LE(std::visit([](const auto& line) { return line.head.at; }, record), now());
  }
}

}  // namespace
}  // namespace carillon::conformance
