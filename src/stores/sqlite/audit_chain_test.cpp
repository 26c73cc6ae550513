#include "stores/sqlite/connection.hpp"
#include "stores/sqlite/store_file_test.hpp"

#include <gmock/gmock.h>

namespace carillon {
namespace {

/// An audit log of three records that somebody lays hands on.
class SqliteAuditChain : public StoreFileTest {
 protected:
  void SetUp() override {
    const auto store = open();
    for (const char* operation : {"login", "schedule.pause", "token.create"})
      ASSERT_TRUE(store->append({.actor = "token:ann",
                                 .address = {},
                                 .operation = operation,
                                 .name_space = "default",
                                 .target = "nightly",
                                 .outcome = "done",
                                 .before = {},
                                 .after = {}}));
  }
  std::optional<std::int64_t> broken_after(const std::string& sql) {
    EXPECT_TRUE(sqlite::Connection::open(file_, {}).value()->execute(sql));
    return open()->find_broken_record().value();
  }
};

TEST_F(SqliteAuditChain, is_whole_if_nobody_does) { EXPECT_EQ(open()->find_broken_record().value(), std::nullopt); }

TEST_F(SqliteAuditChain, breaks_where_a_record_was_changed) {
  EXPECT_EQ(broken_after("UPDATE audit SET actor = 'token:bob' WHERE number = 2"), 2);
}

TEST_F(SqliteAuditChain, breaks_where_a_text_was_moved_to_the_next_member) {
  EXPECT_EQ(broken_after("UPDATE audit SET target = 'night', outcome = 'lydone' WHERE number = 2"), 2);
}

TEST_F(SqliteAuditChain, breaks_where_a_record_was_taken_out) {
  EXPECT_EQ(broken_after("DELETE FROM audit WHERE number = 2"), 2);
}

TEST_F(SqliteAuditChain, breaks_at_the_beginning_if_that_was_taken_away) {
  EXPECT_EQ(broken_after("DELETE FROM audit WHERE number = 1"), 1);
}

TEST_F(SqliteAuditChain, breaks_behind_a_record_that_was_forged_with_its_digest) {
  EXPECT_EQ(broken_after("UPDATE audit SET at = at + 1 WHERE number = 1"), 1);
  EXPECT_EQ(broken_after("UPDATE audit SET digest = 'forged' WHERE number = 2"), 1);
}

}  // namespace
}  // namespace carillon
