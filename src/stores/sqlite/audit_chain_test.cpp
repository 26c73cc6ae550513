#include "stores/sqlite/connection.hpp"
#include "stores/sqlite/store_file_test.hpp"

#include <gmock/gmock.h>

namespace carillon {
namespace {

/// An audit log of three records that somebody lays hands on.
class SqliteAuditChain : public StoreFileTest {
 protected:
  static inline const std::string key = "a key that nobody else has";

  void SetUp() override {
    const auto store = open({.audit_key = key, .is_new_audit_key = true});
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
  /// What a server finds when it opens the file again.
  std::optional<AuditBreak> found(const std::string& with_key = key) {
    return open({.audit_key = with_key})->find_broken_record().value();
  }
  std::int64_t broken_after(const std::string& sql) {
    EXPECT_TRUE(sqlite::Connection::open(file_, {}).value()->execute(sql));
    return found().value_or(AuditBreak{}).number;
  }
};

TEST_F(SqliteAuditChain, is_whole_if_nobody_does) { EXPECT_EQ(found(), std::nullopt); }

TEST_F(SqliteAuditChain, breaks_at_its_end_if_the_newest_records_were_taken_away) {
  EXPECT_EQ(broken_after("DELETE FROM audit WHERE number > 2"), 3);
  EXPECT_EQ(broken_after("DELETE FROM audit WHERE number > 1"), 2);
  EXPECT_EQ(found()->reason, "records 2 to 3 are missing");
  EXPECT_EQ(broken_after("DELETE FROM audit"), 1);
}

TEST_F(SqliteAuditChain, stays_broken_where_records_are_missing_when_others_follow) {
  ASSERT_EQ(broken_after("DELETE FROM audit WHERE number > 2"), 3);
  ASSERT_TRUE(open({.audit_key = key})->append(login()));

  EXPECT_EQ(found()->number, 3);
}

TEST_F(SqliteAuditChain, cannot_be_ended_earlier_without_the_key) {
  EXPECT_EQ(broken_after("DELETE FROM audit WHERE number > 2;"
                         "UPDATE meta SET audit_count = 2, audit_head = (SELECT digest FROM audit WHERE number = 2)"),
            1);
  EXPECT_THAT(found()->reason, testing::HasSubstr("seal"));
}

TEST_F(SqliteAuditChain, is_not_sealed_anew_because_the_seal_was_taken_away) {
  EXPECT_EQ(broken_after("UPDATE meta SET audit_seal = ''"), 1);
}

TEST_F(SqliteAuditChain, is_sealed_with_a_new_key_and_tells_that_it_had_another) {
  EXPECT_TRUE(open({.audit_key = "another", .is_new_audit_key = true})->was_sealed_before());

  EXPECT_EQ(found("another"), std::nullopt);
  EXPECT_EQ(found()->number, 1);
}

TEST_F(SqliteAuditChain, tells_its_head) {
  const auto head = open({.audit_key = key})->read_audit_head().value();

  EXPECT_EQ(head.count, 3);
  EXPECT_EQ(head.digest, open()->read_audit(std::nullopt, std::nullopt, 1).value().at(0).digest);
}

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
