#include "engine/ledger_record.hpp"

#include <gtest/gtest.h>

namespace carillon {
namespace {

using std::chrono::seconds;

const Instant nine = parse_instant("2026-01-27T09:00:00Z").value();

LineHead a_head() {
  return {.seq = Seq{7},
          .at = nine + seconds{1},
          .name_space = NamespaceId::parse("default").value(),
          .schedule = ScheduleId::parse("nightly").value(),
          .incarnation = 2};
}

TEST(LedgerLine, of_a_skip_has_null_for_what_is_empty) {
  const DecisionLine line{.head = a_head(),
                          .server = {},
                          .revision = 3,
                          .version = 0,
                          .nominal = nine,
                          .due = nine,
                          .source = Source::schedule,
                          .outcome = DecisionOutcome::skipped,
                          .reason = SkipReason::overlap,
                          .run = {},
                          .waited_from = {},
                          .ended_at = {}};

  EXPECT_EQ(to_json(line),
            R"({"type":"decision","seq":7,"at":"2026-01-27T09:00:01Z","server":null,"namespace":"default",)"
            R"("schedule":"nightly","incarnation":2,"revision":3,"nominal":"2026-01-27T09:00:00Z",)"
            R"("due":"2026-01-27T09:00:00Z","source":"schedule","outcome":"skipped","reason":"overlap","run":null})");
}

TEST(LedgerLine, of_a_start_that_waited_and_ended_says_since_when_and_when) {
  const DecisionLine line{.head = a_head(),
                          .server = "5",
                          .revision = 3,
                          .version = 12,
                          .nominal = nine,
                          .due = nine,
                          .source = Source::catchup,
                          .outcome = DecisionOutcome::started,
                          .reason = {},
                          .run = "nightly@2026-01-27T09:00:00Z",
                          .waited_from = nine,
                          .ended_at = nine + seconds{9}};

  EXPECT_EQ(to_json(line),
            R"({"type":"decision","seq":7,"at":"2026-01-27T09:00:01Z","server":"5","namespace":"default",)"
            R"("schedule":"nightly","incarnation":2,"revision":3,"nominal":"2026-01-27T09:00:00Z",)"
            R"("due":"2026-01-27T09:00:00Z","source":"catchup","outcome":"started","reason":null,)"
            R"("run":"nightly@2026-01-27T09:00:00Z","version":12,"waitedFrom":"2026-01-27T09:00:00Z",)"
            R"("endedAt":"2026-01-27T09:00:09Z"})");
}

TEST(LedgerLine, of_a_range_names_first_last_and_count) {
  const RangeLine line{.head = a_head(),
                       .revision = 3,
                       .from = nine,
                       .to = nine + seconds{60},
                       .count = 61,
                       .reason = SkipReason::missed};

  EXPECT_EQ(to_json(line),
            R"({"type":"range","seq":7,"at":"2026-01-27T09:00:01Z","schedule":"nightly","incarnation":2,"revision":3,)"
            R"("from":"2026-01-27T09:00:00Z","to":"2026-01-27T09:01:00Z","count":61,"reason":"missed"})");
}

TEST(LedgerLine, of_an_attempt_has_its_last_state) {
  const AttemptLine line{.head = a_head(),
                         .run = "nightly@2026-01-27T09:00:00Z",
                         .attempt = 2,
                         .worker = "w1",
                         .state = AttemptState::failed,
                         .claimed_at = nine,
                         .launched_at = nine,
                         .ended_at = nine + seconds{1},
                         .exit_code = 3,
                         .reason = "exit code 3",
                         .claimable_from = nine};

  EXPECT_EQ(to_json(line), R"({"type":"attempt","seq":7,"at":"2026-01-27T09:00:01Z","schedule":"nightly",)"
                           R"("run":"nightly@2026-01-27T09:00:00Z","attempt":2,"worker":"w1","state":"failed",)"
                           R"("claimedAt":"2026-01-27T09:00:00Z","launchedAt":"2026-01-27T09:00:00Z",)"
                           R"("endedAt":"2026-01-27T09:00:01Z","exitCode":3,"reason":"exit code 3",)"
                           R"("claimableFrom":"2026-01-27T09:00:00Z"})");
}

TEST(LedgerLine, of_an_edit_carries_the_document_as_an_object) {
  const ChangeLine line{
      .head = a_head(), .revision = 4, .kind = ChangeKind::updated, .by = "ann", .document = R"({"id": "nightly"})"};

  EXPECT_EQ(to_json(line),
            R"({"type":"change","seq":7,"at":"2026-01-27T09:00:01Z","schedule":"nightly","incarnation":2,"revision":4,)"
            R"("kind":"updated","by":"ann","document":{"id":"nightly"}})");
}

TEST(LedgerLine, stays_one_line_of_json_if_a_document_is_damaged) {
  const ChangeLine line{
      .head = a_head(), .revision = 4, .kind = ChangeKind::updated, .by = "", .document = "{\"id\":\n"};

  EXPECT_EQ(to_json(line),
            R"({"type":"change","seq":7,"at":"2026-01-27T09:00:01Z","schedule":"nightly","incarnation":2,"revision":4,)"
            R"("kind":"updated","by":null,"document":"{\"id\":\n"})");
}

TEST(LedgerLine, of_a_backfill_tells_how_far_it_has_come) {
  const BackfillLine line{.head = a_head(),
                          .id = "b1",
                          .from = nine,
                          .to = nine + seconds{60},
                          .state = BackfillState::paused,
                          .done = 4,
                          .total = 60};

  EXPECT_EQ(to_json(line),
            R"({"type":"backfill","seq":7,"at":"2026-01-27T09:00:01Z","schedule":"nightly","id":"b1",)"
            R"("from":"2026-01-27T09:00:00Z","to":"2026-01-27T09:01:00Z","state":"paused","done":4,"total":60})");
}

TEST(LedgerLine, of_a_void_names_what_it_takes_back) {
  const VoidLine line{.head = a_head(), .from = nine, .to = nine + seconds{60}, .reason = SkipReason::clock};

  EXPECT_EQ(to_json(line), R"({"type":"void","seq":7,"at":"2026-01-27T09:00:01Z","schedule":"nightly",)"
                           R"("from":"2026-01-27T09:00:00Z","to":"2026-01-27T09:01:00Z","reason":"clock"})");
}

TEST(LedgerLine, of_an_outage_is_about_no_schedule) {
  const LedgerRecord line = OutageLine{.head = {.seq = Seq{7}, .at = nine + seconds{61}},
                                       .from = nine,
                                       .to = nine + seconds{60},
                                       .cause = OutageCause::halted};

  EXPECT_EQ(to_json(line), R"({"type":"outage","seq":7,"at":"2026-01-27T09:01:01Z",)"
                           R"("from":"2026-01-27T09:00:00Z","to":"2026-01-27T09:01:00Z","cause":"halted"})");
  EXPECT_EQ(head_of(line), nullptr);
}

TEST(LedgerLine, has_one_head_whatever_it_tells) {
  const LedgerRecord record = VoidLine{.head = a_head(), .from = nine, .to = nine, .reason = SkipReason::clock};

  EXPECT_EQ(seq_of(record), Seq{7});
  EXPECT_EQ(head_of(record)->incarnation, 2);
}

}  // namespace
}  // namespace carillon
