#include "conformance/store_test.hpp"
#include "ports/audit_digest.hpp"

#include <thread>

namespace carillon::conformance {
namespace {

class Audit : public StoreTest {
 protected:
  static AuditEntry entry(std::string operation, std::string name_space = "default") {
    return {.actor = "token:ann",
            .address = "127.0.0.1",
            .operation = std::move(operation),
            .name_space = std::move(name_space),
            .target = "nightly",
            .outcome = "done",
            .before = "aa",
            .after = "bb"};
  }
  std::vector<AuditRecord> all() { return must(audit().read_audit(std::nullopt, std::nullopt, 1'000)); }
  std::vector<std::string> operations() {
    std::vector<std::string> found;
    for (const AuditRecord& record : all()) found.push_back(record.entry.operation);
    return found;
  }
};
CARILLON_RUN_FOR_EVERY_STORE(Audit);

TEST_P(Audit, keeps_what_was_done_and_when) {
  must(audit().append(entry("login")));
  advance(1min);
  must(audit().append(entry("schedule.pause")));

  const auto records = all();

  ASSERT_THAT(records, SizeIs(2));
  EXPECT_EQ(records[0].number, 2);
  EXPECT_EQ(records[0].at, noon + 1min);
  EXPECT_EQ(records[0].entry, entry("schedule.pause"));
  EXPECT_EQ(records[1].number, 1);
  EXPECT_EQ(records[1].entry, entry("login"));
}

TEST_P(Audit, is_read_in_pages_newest_first) {
  for (const char* operation : {"a", "b", "c", "d"}) must(audit().append(entry(operation)));

  const auto page = must(audit().read_audit(4, std::nullopt, 2));

  ASSERT_THAT(page, SizeIs(2));
  EXPECT_EQ(page[0].entry.operation, "c");
  EXPECT_EQ(page[1].entry.operation, "b");
  EXPECT_THAT(must(audit().read_audit(1, std::nullopt, 2)), IsEmpty());
}

TEST_P(Audit, can_be_read_for_one_namespace) {
  must(audit().append(entry("a", "left")));
  must(audit().append(entry("b", "right")));
  must(audit().append(entry("login", "")));
  must(audit().append(entry("c", "left")));

  const auto left = must(audit().read_audit(std::nullopt, "left", 10));

  ASSERT_THAT(left, SizeIs(2));
  EXPECT_EQ(left[0].entry.operation, "c");
  EXPECT_EQ(left[1].entry.operation, "a");
  EXPECT_THAT(must(audit().read_audit(4, "left", 10)), SizeIs(1));
}

TEST_P(Audit, is_a_chain_that_anybody_can_follow) {
  for (const char* operation : {"a", "b", "c"}) must(audit().append(entry(operation)));

  const auto records = all();

  EXPECT_EQ(records[2].digest, digest_of(records[2], ""));
  EXPECT_EQ(records[1].digest, digest_of(records[1], records[2].digest));
  EXPECT_EQ(records[0].digest, digest_of(records[0], records[1].digest));
  EXPECT_THAT(records[0].digest, SizeIs(64));
  EXPECT_EQ(must(audit().find_broken_record()), std::nullopt);
}

TEST_P(Audit, of_nothing_is_whole) {
  EXPECT_THAT(all(), IsEmpty());
  EXPECT_EQ(must(audit().find_broken_record()), std::nullopt);
}

TEST_P(Audit, has_the_entry_of_a_change_if_the_change_was_written) {
  must(commit(creation("nightly", noon), attached("schedule.create")));
  const ScheduleState state = view("nightly").state;
  must(commit(after(state, noon), attached("schedule.pause")));

  // Somebody else was faster.
  const auto refused = must(commit(after(state, noon), attached("schedule.delete")));

  EXPECT_EQ(refused.items.at(0).outcome, WriteOutcome::Outcome::refused);
  EXPECT_THAT(operations(), ElementsAre("schedule.pause", "schedule.create"));
}

TEST_P(Audit, has_the_entry_of_jobs_that_were_queued) {
  const AdhocRun job{.document = "{}", .name = "~a", .queue = "default", .rules = {}};

  must(runs().enqueue(std::span{&job, 1}, attached("job.enqueue")));
  EXPECT_FALSE(runs().enqueue(std::span{&job, 1}, attached("job.enqueue.again")));

  EXPECT_THAT(operations(), ElementsAre("job.enqueue"));
}

TEST_P(Audit, has_the_entry_of_a_run_that_a_user_changed) {
  const Seq seq = enqueue("~a");
  const QueuedRun row = run(seq).value();
  const RunUpdate cancelling = update_of(row, ended(row.run, RunState::cancelled, now()));

  EXPECT_EQ(must(runs().write_command(cancelling, attached("run.cancel"))), RunWritten::written);
  EXPECT_EQ(must(runs().write_command(cancelling, attached("run.cancel.again"))), RunWritten::refused);

  EXPECT_EQ(run(seq).value().run.state, RunState::cancelled);
  EXPECT_THAT(operations(), ElementsAre("run.cancel"));
}

TEST_P(Audit, has_no_gaps_when_many_write_at_once) {
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] {
        for (int n = 0; n < 20; ++n) std::ignore = audit().append(entry("login"));
      });
  }

  const auto records = all();

  ASSERT_THAT(records, SizeIs(80));
  EXPECT_EQ(records.front().number, 80);
  EXPECT_EQ(records.back().number, 1);
  EXPECT_EQ(must(audit().find_broken_record()), std::nullopt);
}

}  // namespace
}  // namespace carillon::conformance
