#include "scheduling/server_fixture.hpp"
#include "stores/sqlite/connection.hpp"
#include "stores/sqlite/sqlite_store.hpp"
#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>

namespace carillon::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

/// Two schedules in a file, each with a run that a worker has; then the document of one of them is damaged.
class UnreadableDefinition : public ::testing::Test {
 protected:
  UnreadableDefinition() {
    for (const std::string id : {"broken", "sound"}) {
      const ScheduleBuilder schedule = a_schedule().by_hand().id(id).with([](Policies& p) { p.retry.on_lost = true; });
      EXPECT_TRUE(server.create(schedule.document(), "anna", ++request));
      const ScheduleKey key{NamespaceId::parse("default").value(), ScheduleId::parse(id).value()};
      EXPECT_TRUE(server.change(key, Triggered{.by = "anna", .id = id}, ++request));
    }
    claimed = store->claim({.session = session, .queues = {"@command"}, .count_max = 10}).value().runs;
    EXPECT_THAT(claimed, SizeIs(2));
    damage();
  }

  void damage() {
    const auto connection = sqlite::Connection::open(file, {.access = sqlite::Access::write}).value();
    EXPECT_TRUE(connection->execute("UPDATE definition SET document = '{\"id\":' WHERE uid = 1"));
  }
  RunState state_of(std::size_t i) {
    const Seq seq = claimed[i].row.seq;
    return store->read_runs(std::span{&seq, 1}).value()[0]->run.state;
  }
  std::vector<std::string> reasons() {
    std::vector<std::string> all;
    const auto records = store->read_ledger(Seq{}, 100).value();
    for (const LedgerRecord& record : records)
      if (const auto* line = std::get_if<AttemptLine>(&record)) all.push_back(line->reason);
    return all;
  }

  TemporaryFolder folder;
  std::filesystem::path file = folder.path() / "store.db";
  ManualClock clock{at("2027-03-01T09:00:00Z")};
  std::unique_ptr<SqliteStore> store = SqliteStore::open(file, clock).value();
  FixedZoneSource zones;
  DefinitionCache writing_definitions{*store, zones, rules_2026b};
  Scheduling server{*store, writing_definitions, 1};
  SessionId session = store->open_session("worker", 30s).value();
  std::int64_t request = 0;
  std::vector<ClaimedRun> claimed;
  // A later server, which has to read the file.
  DefinitionCache definitions{*store, zones, rules_2026b};
  RunFinisher finisher{*store, definitions};
};

TEST_F(UnreadableDefinition, does_not_keep_the_ends_of_other_runs_from_being_written) {
  std::vector<Finish> finishes;
  for (const ClaimedRun& run : claimed)
    finishes.push_back({.run = run.row, .end = {.outcome = AttemptOutcome::failed, .error = "exited with 3"}});

  EXPECT_THAT(finisher.finish(finishes).value(), ElementsAre(RunWritten::written, RunWritten::written));

  EXPECT_EQ(state_of(0), RunState::failed) << "nobody knows how often it may be tried";
  EXPECT_EQ(state_of(1), RunState::retrying);
  EXPECT_THAT(reasons(), Contains(HasSubstr("exited with 3; not retried: its definition cannot be read")));
}

TEST_F(UnreadableDefinition, does_not_keep_lost_runs_from_being_ended) {
  clock.advance(31s);

  EXPECT_EQ(finisher.end_lost(10).value(), 2U);

  EXPECT_EQ(state_of(0), RunState::lost);
  EXPECT_EQ(state_of(1), RunState::retrying);
}

TEST_F(UnreadableDefinition, is_reported_once) {
  clock.advance(31s);
  ASSERT_EQ(finisher.end_lost(10).value(), 2U);

  const auto reported = finisher.take_unreadable();

  ASSERT_THAT(reported, SizeIs(1));
  EXPECT_EQ(reported[0].name.uid, claimed[0].row.uid);
  EXPECT_THAT(finisher.take_unreadable(), SizeIs(0));
}

TEST_F(UnreadableDefinition, does_not_spoil_a_success) {
  const Finish success{.run = claimed[0].row, .end = {.outcome = AttemptOutcome::succeeded}};

  EXPECT_THAT(finisher.finish(std::span{&success, 1}).value(), ElementsAre(RunWritten::written));

  EXPECT_EQ(state_of(0), RunState::succeeded);
}

}  // namespace
}  // namespace carillon::testing
