#include "stores/sqlite/connection.hpp"
#include "stores/sqlite/store_file_test.hpp"

#include <gmock/gmock.h>

namespace carillon {
namespace {

using namespace conformance;
using testing::ElementsAre;
using testing::HasSubstr;

class SqliteMigration : public StoreFileTest {
 protected:
  /// What programs of earlier formats would have left.
  void bring_back_to_format_4() {
    const auto connection = sqlite::Connection::open(file_, {}).value();
    ASSERT_TRUE(connection->execute(R"(
      DROP TABLE lock;
      DROP TABLE lock_fence;
      ALTER TABLE backfill DROP COLUMN overlap;
      ALTER TABLE ledger DROP COLUMN last_failure;
      DROP INDEX ledger_parked;
      DROP INDEX queue_limited;
      ALTER TABLE queue DROP COLUMN keeps_failed;
      ALTER TABLE queue DROP COLUMN run_limit;
      ALTER TABLE attempt DROP COLUMN known_as;
      ALTER TABLE attempt DROP COLUMN memory_max;
      ALTER TABLE attempt DROP COLUMN system_time;
      ALTER TABLE attempt DROP COLUMN user_time;
      ALTER TABLE meta DROP COLUMN clock_offset;
      ALTER TABLE request DROP COLUMN decision;
      ALTER TABLE request DROP COLUMN revision;
      ALTER TABLE request DROP COLUMN uid;
      ALTER TABLE ledger DROP COLUMN repeats;
      DROP TABLE outage;
      ALTER TABLE meta DROP COLUMN decided_at;
      DROP INDEX state_deleted;
      ALTER TABLE meta DROP COLUMN audit_seal;
      ALTER TABLE meta DROP COLUMN audit_head;
      ALTER TABLE meta DROP COLUMN audit_count;
      ALTER TABLE token DROP COLUMN may_execute;
      PRAGMA user_version = 4)"));
  }
  void bring_back_to_format_3() {
    bring_back_to_format_4();
    const auto connection = sqlite::Connection::open(file_, {}).value();
    ASSERT_TRUE(connection->execute(R"(
      ALTER TABLE definition RENAME TO newer;
      CREATE TABLE definition(uid INTEGER NOT NULL, revision INTEGER NOT NULL, document TEXT NOT NULL,
                              PRIMARY KEY (uid, revision)) STRICT, WITHOUT ROWID;
      INSERT INTO definition SELECT uid, revision, document FROM newer;
      DROP TABLE newer;
      PRAGMA user_version = 3)"));
  }
  void bring_back_to_format_2() {
    bring_back_to_format_3();
    const auto connection = sqlite::Connection::open(file_, {}).value();
    ASSERT_TRUE(connection->execute(R"(
      DROP TABLE listing;
      DROP TABLE namespace;
      DROP TABLE feed;
      DROP TABLE audit;
      DROP TABLE token;
      DROP TABLE idempotency;
      DROP INDEX change_of;
      DROP INDEX skipped_range_of;
      DROP INDEX voided_range_of;
      DROP INDEX queue_paused;
      ALTER TABLE queue DROP COLUMN is_paused;
      ALTER TABLE attempt DROP COLUMN prev_seq;
      ALTER TABLE extra DROP COLUMN namespace;
      ALTER TABLE meta DROP COLUMN feed;
      UPDATE state SET flags = flags & 31;
      PRAGMA user_version = 2)"));
  }
  void bring_back_to_format_1() {
    bring_back_to_format_2();
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

TEST_F(SqliteMigration, gives_the_scope_execute_to_no_token_from_before) {
  auto store = open();
  const StoredToken token{.id = "aaaaaaaa",
                          .name = "deploy",
                          .role = Role::editor,
                          .name_space = {},
                          .salt = "salt",
                          .hash = "hash",
                          .created_at = noon,
                          .expires_at = {},
                          .revoked_at = {},
                          .may_execute = true};
  ASSERT_TRUE(store->add_token(token, {.actor = "a",
                                       .address = {},
                                       .operation = "token.create",
                                       .name_space = {},
                                       .target = {},
                                       .outcome = "done",
                                       .before = {},
                                       .after = {}}));
  store.reset();
  bring_back_to_format_4();

  store = open();

  StoredToken expected = token;
  expected.may_execute = false;
  EXPECT_EQ(store->find_token("aaaaaaaa").value(), expected);
}

TEST_F(SqliteMigration, keeps_every_revision_of_a_definition) {
  auto store = open();
  const Uid uid = create(*store, "nightly", "{\"a\":1}").value().items[0].uid;
  create(*store, "weekly", "{\"b\":1}").value();
  commit(*store, after(view(*store, "nightly").state, noon).edits("{\"a\":2}")).value();
  const auto lines = ledger(*store);
  store.reset();
  bring_back_to_format_3();

  store = open();

  const auto document = [&](std::int64_t revision) {
    const DefinitionName name{.uid = uid, .revision = revision};
    return store->read_definitions(std::span{&name, 1}).value().at(0).value().document;
  };
  EXPECT_EQ(document(1), "{\"a\":1}");
  EXPECT_EQ(document(2), "{\"a\":2}");
  EXPECT_EQ(document(3), "{\"a\":2}") << "a revision without a document of its own";
  EXPECT_EQ(ledger(*store), lines);
  EXPECT_TRUE(store->check_integrity());
}

TEST_F(SqliteMigration, seals_the_audit_log_that_there_is) {
  auto store = open();
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(store->append(login()));
  store.reset();
  bring_back_to_format_4();

  store = open({.audit_key = "key", .is_new_audit_key = true});

  EXPECT_EQ(store->read_audit_head().value().count, 3);
  EXPECT_FALSE(store->was_sealed_before());
  EXPECT_EQ(store->find_broken_record().value(), std::nullopt);
  ASSERT_TRUE(store->append(login()));
  EXPECT_EQ(store->find_broken_record().value(), std::nullopt);
}

TEST_F(SqliteMigration, lists_what_there_is) {
  auto store = open();
  create(*store, "etl", R"({"name":"Load","labels":{"team":"data"},"action":{"http":{}}})").value();
  create(*store, "job", R"({"action":{"job":{"payload":{"workflowId":"w"}}}})").value();
  create(*store, "odd", "no document at all").value();
  create(*store, "gone").value();
  commit(*store, after(view(*store, "gone").state, noon).deletes()).value();
  auto pausing = after(view(*store, "etl").state, noon);
  pausing.next().status = ScheduleStatus::paused;
  commit(*store, pausing.edits(R"({"name":"Loading","labels":{"team":"data"},"action":{"http":{}}})")).value();
  store.reset();
  bring_back_to_format_2();

  store = open();

  const auto listed = [&](const ScheduleFilter& filter) {
    std::vector<std::string> ids;
    const ScheduleList list = store->list_schedules({.filter = filter}).value();
    for (const ScheduleRecord& record : list.items) ids.push_back(record.key.id.text());
    return ids;
  };
  EXPECT_THAT(listed({}), ElementsAre("etl", "job", "odd"));
  EXPECT_THAT(listed({.statuses = {ScheduleStatus::paused}}), ElementsAre("etl"));
  EXPECT_THAT(listed({.labels = {{"team", "data"}}}), ElementsAre("etl"));
  EXPECT_THAT(listed({.action = "http"}), ElementsAre("etl"));
  EXPECT_THAT(listed({.text = "loading"}), ElementsAre("etl"));
  EXPECT_THAT(listed({.workflow = R"("w")"}), ElementsAre("job"));
  EXPECT_EQ(store->read_totals().value().schedules, 3);
  commit(*store, after(view(*store, "odd").state, noon).deletes()).value();
  EXPECT_THAT(listed({}), ElementsAre("etl", "job"));
  EXPECT_TRUE(store->check_integrity());
}

TEST_F(SqliteMigration, keeps_the_attempts_of_a_run_and_the_names_of_jobs) {
  auto store = open();
  const AdhocRun job{.document = "{}", .name = "~a", .queue = "default", .rules = {}};
  const Seq seq = store->enqueue(std::span{&job, 1}, {}).value().at(0);
  const SessionId session = store->open_session("worker", std::chrono::hours{1}).value();
  for (int attempt = 0; attempt < 3; ++attempt) {
    const auto claimed =
        store->claim({.session = session, .queues = {"default"}, .count_max = 1}).value().runs.at(0).row;
    RunUpdate update{.seq = seq, .attempt = claimed.run.attempt, .session = session, .next = claimed.run};
    update.next.state = RunState::retrying;
    update.next.attempt_state = AttemptState::failed;
    ASSERT_EQ(store->write(std::span{&update, 1}).value().at(0), RunWritten::written);
  }
  store.reset();
  bring_back_to_format_2();

  store = open();

  EXPECT_EQ(store->find_run("default", "~a").value(), seq);
  const auto record = store->read_run_records(std::span{&seq, 1}).value().at(0);
  ASSERT_TRUE(record);
  EXPECT_EQ(record->name_space, "default");
  ASSERT_EQ(record->attempts.size(), 3U);
  int number = 0;
  for (const auto& attempt : record->attempts) EXPECT_EQ(attempt.attempt, ++number);
}

TEST_F(SqliteMigration, knows_of_no_outage_before) {
  auto store = open();
  create(*store, "nightly").value();
  const auto lines = ledger(*store);
  store.reset();
  bring_back_to_format_4();
  clock_.advance(std::chrono::hours{1});

  store = open();

  EXPECT_EQ(store->note_deciding({.since = clock_.now()}).value(), std::nullopt);
  EXPECT_EQ(ledger(*store), lines);
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
