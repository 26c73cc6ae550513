#include "stores/postgres/postgres_log_store.hpp"

#include "stores/postgres/open_chunks.hpp"
#include "stores/postgres/postgres_store.hpp"
#include "support/manual_clock.hpp"
#include "support/postgres_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace carillon {
namespace {

using testing::HasSubstr;

constexpr Uid schedule{7};
constexpr AttemptKey first{.run = Seq{11}, .attempt = 1};

/// A database with one schema for each test, and log stores on it as two servers have them.
class PostgresLogs : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!PostgresServer::programs().empty()) server = std::make_unique<PostgresServer>();
  }
  static void TearDownTestSuite() { server.reset(); }
  void SetUp() override {
    ASSERT_TRUE(server) << "PostgreSQL is not installed; ./test installs it";
    static int count = 0;
    url = postgres::parse_store_url(server->url("logs_" + std::to_string(++count))).value();
    PostgresStore::migrate(url).value();
    writer = std::make_unique<PostgresLogStore>(url, options);
    reader = std::make_unique<PostgresLogStore>(url, options);
  }

  void print(std::string_view bytes, const AttemptKey& key = first) {
    writer->append(schedule, key, OutputStream::out, bytes);
  }
  void close(const AttemptKey& key = first) { ASSERT_TRUE(writer->close(schedule, key)); }
  LogPage page(std::int64_t offset = 0, std::size_t count_max = 1'000'000, const AttemptKey& key = first) {
    return reader->read(schedule, key, offset, count_max).value();
  }
  /// Of a run that the ledger says is running, so that its log has not ended.
  static void run(const std::string& sql) {
    const auto connection = postgres::Connection::open(postgres::parse_store_url(server->url("public")).value(), {});
    (*connection)->send(sql);
    (*connection)->collect().value();
  }

  static inline std::unique_ptr<PostgresServer> server;
  PostgresLogOptions options{.chunks = {.head_size_max = 100, .tail_size_max = 50, .chunk_size_max = 40}};
  postgres::StoreUrl url;
  std::unique_ptr<PostgresLogStore> writer;
  std::unique_ptr<PostgresLogStore> reader;
};

TEST_F(PostgresLogs, are_shown_by_every_server) {
  print("one\n");
  print("two\n");
  close();

  const LogPage all = page();

  EXPECT_EQ(all.bytes, "one\ntwo\n");
  EXPECT_EQ(all.size, 8);
  EXPECT_TRUE(all.is_at_end);
  EXPECT_FALSE(all.is_truncated);
}

TEST_F(PostgresLogs, are_read_in_pages) {
  print(std::string(30, 'a') + std::string(30, 'b'));
  close();

  const LogPage head = page(0, 45);
  const LogPage rest = page(head.next_offset, 45);

  EXPECT_EQ(head.bytes, std::string(30, 'a') + std::string(15, 'b'));
  EXPECT_FALSE(head.is_at_end);
  EXPECT_EQ(rest.bytes, std::string(15, 'b'));
  EXPECT_TRUE(rest.is_at_end);
  EXPECT_EQ(page(0, 0).size, 60);
}

TEST_F(PostgresLogs, keep_beginning_and_end_of_what_is_too_long) {
  print(std::string(100, 'a'));
  print(std::string(400, 'b'));
  print(std::string(50, 'c'));
  close();

  const LogPage all = page();

  EXPECT_EQ(all.bytes, std::string(100, 'a') + "\n… 400 bytes left out …\n" + std::string(50, 'c'));
  EXPECT_EQ(all.size, 550);
  EXPECT_TRUE(all.is_truncated);
  EXPECT_TRUE(all.is_at_end);
}

TEST_F(PostgresLogs, stay_bounded_in_the_database_while_they_are_written) {
  for (int i = 0; i < 20; ++i) {
    const AttemptKey key{.run = Seq{11}, .attempt = i + 1};
    print(std::string(1'000, 'x'), key);
    close(key);
  }

  EXPECT_LE(page(0, 1'000'000, {.run = Seq{11}, .attempt = 20}).bytes.size(), 250U);
}

TEST_F(PostgresLogs, that_do_not_exist_are_not_found) {
  const auto missing = reader->read(schedule, first, 0, 100);

  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::not_found);
  EXPECT_EQ(missing.error().rule, "");
}

TEST_F(PostgresLogs, are_removed_run_by_run) {
  const AttemptKey other{.run = Seq{12}, .attempt = 1};
  print("one");
  print("two", other);
  close();
  close(other);

  ASSERT_TRUE(reader->remove(schedule, {first.run}));

  EXPECT_FALSE(reader->read(schedule, first, 0, 100));
  EXPECT_EQ(page(0, 100, other).bytes, "two");
}

TEST_F(PostgresLogs, trims_the_oldest_ones_and_knows_that_they_were_there) {
  for (int i = 1; i <= 4; ++i) {
    const AttemptKey key{.run = Seq{i}, .attempt = 1};
    print(std::string(60, 'x'), key);
    close(key);
  }

  ASSERT_TRUE(reader->trim(schedule, Seq{3}, 130));

  const auto gone = reader->read(schedule, {.run = Seq{1}, .attempt = 1}, 0, 100);
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().rule, log_removed_rule);
  EXPECT_TRUE(reader->read(schedule, {.run = Seq{2}, .attempt = 1}, 0, 100));
  EXPECT_TRUE(reader->read(schedule, {.run = Seq{4}, .attempt = 1}, 0, 100));
}

TEST_F(PostgresLogs, wait_in_memory_while_the_database_is_away) {
  print("before ");
  server->crash_and_restart();
  print("after");
  close();

  EXPECT_EQ(page().bytes, "before after");
}

using postgres::ChunkLimits;
using postgres::OpenChunks;

constexpr ChunkLimits small{.head_size_max = 10, .tail_size_max = 6, .chunk_size_max = 4};

TEST(OpenChunks, keep_what_is_not_written_yet) {
  OpenChunks log{small};
  log.append("abcdef", true);
  ASSERT_EQ(log.chunks().size(), 2U);
  EXPECT_EQ(log.chunks()[1].first, 4);
  log.append("gh", true);
  log.written(6);

  ASSERT_EQ(log.chunks().size(), 1U);
  EXPECT_EQ(log.chunks()[0].first, 6);
  EXPECT_EQ(log.chunks()[0].bytes, "gh");
}

TEST(OpenChunks, leave_out_the_middle) {
  OpenChunks log{small};
  log.append("0123456789", true);
  log.written(10);
  log.append("abcdefghijkl", true);

  EXPECT_EQ(log.waiting_size(), 6U);
  EXPECT_EQ(log.printed(), 22);
  EXPECT_TRUE(log.is_truncated());
  EXPECT_EQ(log.forgotten_before(), 16);
  EXPECT_EQ(log.chunks()[0].first, 16);
}

TEST(OpenChunks, need_little_memory_when_there_is_little) {
  OpenChunks log{{.head_size_max = 1'000'000, .tail_size_max = 1'000'000, .chunk_size_max = 1'000'000}};
  log.append(std::string(100'000, 'x'), false);

  EXPECT_LE(log.waiting_size(), 4'096U);
  EXPECT_TRUE(log.is_truncated());
}

}  // namespace
}  // namespace carillon
