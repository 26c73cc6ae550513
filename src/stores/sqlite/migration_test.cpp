#include "stores/sqlite/connection.hpp"
#include "stores/sqlite/store_file_test.hpp"

#include <gmock/gmock.h>

namespace carillon {
namespace {

using namespace conformance;
using testing::HasSubstr;

class SqliteMigration : public StoreFileTest {
 protected:
  /// What a program of the first format would have left.
  void bring_back_to_format_1() {
    const auto connection = sqlite::Connection::open(file_, {}).value();
    ASSERT_TRUE(connection->execute(R"(
      DROP TABLE forgotten;
      ALTER TABLE meta DROP COLUMN settled_edition;
      ALTER TABLE meta DROP COLUMN newest_write;
      ALTER TABLE schedule DROP COLUMN created_at;
      ALTER TABLE definition RENAME TO newer;
      CREATE TABLE definition(uid INTEGER NOT NULL, revision INTEGER NOT NULL, document TEXT NOT NULL) STRICT;
      CREATE UNIQUE INDEX definition_name ON definition(uid, revision);
      INSERT INTO definition SELECT uid, revision, document FROM newer;
      DROP TABLE newer;
      PRAGMA user_version = 1)"));
  }
};

TEST_F(SqliteMigration, of_an_older_file_keeps_everything) {
  auto store = open();
  const Uid uid = create(*store, "nightly", "{\"a\":1}").value().items[0].uid;
  const auto before = view(*store, "nightly");
  const auto lines = ledger(*store);
  store.reset();
  bring_back_to_format_1();

  store = open();

  EXPECT_EQ(view(*store, "nightly").state, before.state);
  EXPECT_EQ(ledger(*store), lines);
  const DefinitionName name{.uid = uid, .revision = 1};
  const auto definition = store->read_definitions(std::span{&name, 1}).value().at(0);
  ASSERT_TRUE(definition);
  EXPECT_EQ(definition->document, "{\"a\":1}");
  EXPECT_EQ(definition->created_at, noon);
  EXPECT_TRUE(is_written(create(*store, "another")));
  EXPECT_TRUE(store->check_integrity());
}

TEST_F(SqliteMigration, is_not_done_by_who_only_reads) {
  open().reset();
  bring_back_to_format_1();

  const auto reader = SqliteStore::open_read_only(file_, clock_);

  ASSERT_FALSE(reader);
  EXPECT_EQ(reader.error().code, ErrorCode::conflict);
  EXPECT_THAT(reader.error().message, HasSubstr("format 1"));
  EXPECT_THAT(reader.error().hint, HasSubstr("start a server"));
}

}  // namespace
}  // namespace carillon
