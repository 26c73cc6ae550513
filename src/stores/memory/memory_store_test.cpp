#include "stores/memory/memory_store.hpp"

#include "support/manual_clock.hpp"

#include <gtest/gtest.h>

#include <string>

namespace carillon {
namespace {

using namespace std::chrono_literals;

constexpr Instant noon{std::chrono::sys_days{std::chrono::year{2026} / 3 / 1} + 12h};

// What the clock of one process may do to the store that lives in it; stores that ask a database have its clock.
class MemoryStoreClock : public testing::Test {
 protected:
  Seq enqueue(const std::string& name) {
    const AdhocRun job{.document = "{}", .name = name, .queue = "default", .rules = {}};
    return store_.enqueue(std::span{&job, 1}, {}).value().at(0);
  }
  SessionId open_session() { return store_.open_session("worker", 30s).value(); }
  Result<ClaimResult> claim(SessionId session) {
    return store_.claim({.session = session, .queues = {"default"}, .count_max = 10});
  }

  ManualClock clock_{noon};
  MemoryStore store_{clock_};
};

TEST_F(MemoryStoreClock, set_back_does_not_revive_a_session_that_was_seen_to_be_over) {
  const SessionId session = open_session();
  const Seq seq = enqueue("~a");
  ASSERT_EQ(claim(session).value().runs.size(), 1U);
  clock_.advance(1min);
  ASSERT_EQ(store_.read_lost(10).value().size(), 1U);

  clock_.set_wall(noon);

  EXPECT_FALSE(claim(session));
  EXPECT_FALSE(store_.heartbeat({.session = session, .launched = {}}));
  ASSERT_EQ(store_.read_lost(10).value().size(), 1U);
  EXPECT_EQ(store_.read_lost(10).value().at(0).seq, seq);
}

TEST(MemoryStoreSize, counts_lines_and_a_job_without_a_schedule_has_none) {
  ManualClock clock{noon};
  MemoryStore store{clock};
  const AdhocRun job{.document = "{}", .name = "~a", .queue = "default", .rules = {}};
  ASSERT_TRUE(store.enqueue(std::span{&job, 1}, {}));

  EXPECT_EQ(store.ledger_size(), 0U);

  Transition creation;
  creation.next.version = 1;
  creation.decided_at = noon;
  creation.changes.push_back(
      {.kind = ChangeKind::created,
       .revision = 1,
       .by = "ann",
       .key = ScheduleKey{.name_space = NamespaceId::parse("default").value(), .id = ScheduleId::parse("a").value()}});
  ASSERT_TRUE(store.commit({.writer = {}, .transitions = std::span{&creation, 1}}));

  EXPECT_EQ(store.ledger_size(), 1U);
}

}  // namespace
}  // namespace carillon
