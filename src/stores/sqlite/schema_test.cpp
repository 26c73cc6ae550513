#include "stores/sqlite/store_file_test.hpp"

#include <gmock/gmock.h>

#include <sqlite3.h>

#include <array>

namespace carillon {
namespace {

using testing::HasSubstr;

/// A store that somebody else has added things to.
class SqliteSchema : public StoreFileTest {
 protected:
  void SetUp() override { create(*open(), "nightly").value(); }
  /// As any other program would: without what our connections forbid.
  void alter(const std::string& sql) {
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open(file_.c_str(), &handle), SQLITE_OK);
    char* message = nullptr;
    EXPECT_EQ(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, &message), SQLITE_OK) << message;
    sqlite3_close(handle);
  }
};

TEST_F(SqliteSchema, is_refused_with_the_name_of_what_is_not_ours) {
  for (const auto& [sql, undo, name] : std::to_array<std::array<const char*, 3>>(
           {{"CREATE TRIGGER sly AFTER INSERT ON audit BEGIN DELETE FROM token; END", "DROP TRIGGER sly",
             "trigger sly"},
            {"CREATE VIEW peep AS SELECT * FROM token", "DROP VIEW peep", "view peep"},
            {"CREATE TABLE extra_rows(x)", "DROP TABLE extra_rows", "table extra_rows"},
            {"CREATE INDEX slow ON ledger(at)", "DROP INDEX slow", "index slow"}})) {
    alter(sql);
    EXPECT_EQ(refusal().code, ErrorCode::corrupt) << sql;
    EXPECT_THAT(refusal().message, HasSubstr(name));
    EXPECT_NE(refusal().hint, "");
    EXPECT_EQ(SqliteStore::open_read_only(file_, clock_).error().code, ErrorCode::corrupt);
    alter(undo);
    EXPECT_EQ(refusal().message, "");
  }
}

TEST_F(SqliteSchema, is_refused_if_a_table_was_changed) {
  alter("ALTER TABLE token ADD COLUMN note TEXT");

  EXPECT_EQ(refusal().code, ErrorCode::corrupt);
  EXPECT_THAT(refusal().message, HasSubstr("table token"));
}

TEST_F(SqliteSchema, of_an_older_format_is_looked_at_before_anything_of_it_runs) {
  alter("PRAGMA user_version = 3");

  EXPECT_EQ(refusal().code, ErrorCode::corrupt);
  EXPECT_THAT(refusal().message, testing::ContainsRegex("is not carillon's|as carillon made it|is missing"))
      << "by its tables, not by a migration that failed";
}

TEST_F(SqliteSchema, may_have_what_analyze_has_left) {
  alter("ANALYZE");

  EXPECT_EQ(refusal().message, "");
}

TEST_F(SqliteSchema, does_not_let_a_trigger_run_that_comes_while_the_store_is_open) {
  const auto store = open();
  alter("CREATE TRIGGER sly AFTER INSERT ON schedule BEGIN DELETE FROM definition; END");

  create(*store, "another").value();

  EXPECT_EQ(store->find(conformance::key_of("nightly")).value().view->state.revision, 1);
  EXPECT_TRUE(store->read_definitions(std::array{DefinitionName{.uid = Uid{1}, .revision = 1}}).value().front());
}

TEST_F(SqliteSchema, lies_in_the_file_itself_as_soon_as_the_store_is_there) {
  const auto other = folder_.path() / "young.db";
  const auto store = SqliteStore::open(other, clock_).value();
  const auto copy = folder_.path() / "without-log.db";

  std::filesystem::copy_file(other, copy);

  EXPECT_TRUE(SqliteStore::open_read_only(copy, clock_)) << "it needs no log to be known as ours";
}

}  // namespace
}  // namespace carillon
