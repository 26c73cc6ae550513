#include "stores/sqlite/connection.hpp"
#include "stores/sqlite/store_file_test.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <iterator>

namespace carillon {
namespace {

using testing::HasSubstr;

/// Files that a store must not touch.
class SqliteRefusal : public StoreFileTest {
 protected:
  void alter(const std::string& sql) {
    const auto connection = sqlite::Connection::open(file_, {}).value();
    ASSERT_TRUE(connection->execute(sql));
  }
  void put(const std::string& bytes) { std::ofstream{file_, std::ios::binary} << bytes; }
  [[nodiscard]] std::string bytes() const {
    std::ifstream in{file_, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
  }
  void expect_refused(ErrorCode code) {
    const std::string before = bytes();

    const Error error = refusal();

    EXPECT_EQ(error.code, code);
    EXPECT_THAT(error.message, HasSubstr(file_.string()));
    EXPECT_NE(error.hint, "");
    EXPECT_EQ(bytes(), before);
  }
};

TEST_F(SqliteRefusal, of_what_is_no_database) {
  put("hello");
  expect_refused(ErrorCode::corrupt);

  put(std::string(10'000, 'x'));
  expect_refused(ErrorCode::corrupt);
}

TEST_F(SqliteRefusal, of_the_database_of_another_program) {
  alter("CREATE TABLE theirs(x)");

  expect_refused(ErrorCode::conflict);
}

TEST_F(SqliteRefusal, of_an_empty_database_that_another_program_has_marked) {
  alter("PRAGMA application_id = 1; CREATE TABLE theirs(x); DROP TABLE theirs");

  expect_refused(ErrorCode::conflict);
}

TEST_F(SqliteRefusal, of_a_newer_format) {
  open();
  alter("PRAGMA user_version = 99");

  const Error error = refusal();

  EXPECT_EQ(error.code, ErrorCode::conflict);
  EXPECT_THAT(error.message, HasSubstr("99"));
  EXPECT_NE(error.hint, "");
}

TEST_F(SqliteRefusal, of_a_file_that_was_cut_off) {
  create(*open(), "nightly").value();
  for (int i = 0; i < 3; ++i) {
    std::filesystem::resize_file(file_, std::filesystem::file_size(file_) / 2);
    EXPECT_EQ(refusal().code, ErrorCode::corrupt);
  }
}

TEST_F(SqliteRefusal, of_a_file_without_one_of_its_tables) {
  for (const char* table : {"live", "ledger", "meta"}) {
    std::filesystem::remove(file_);
    create(*open(), "nightly").value();
    alter(fmt::format("DROP TABLE {}", table));

    EXPECT_EQ(refusal().code, ErrorCode::corrupt);
    EXPECT_THAT(refusal().message, HasSubstr(table));
  }
}

TEST_F(SqliteRefusal, of_a_file_whose_numbers_went_back) {
  create(*open(), "nightly").value();
  alter("UPDATE meta SET seq = 0");

  EXPECT_EQ(refusal().code, ErrorCode::corrupt);
}

TEST_F(SqliteRefusal, concerns_readers_too) {
  alter("CREATE TABLE theirs(x)");
  EXPECT_EQ(SqliteStore::open_read_only(file_, clock_).error().code, ErrorCode::conflict);

  put("hello");
  EXPECT_EQ(SqliteStore::open_read_only(file_, clock_).error().code, ErrorCode::corrupt);
}

TEST_F(SqliteRefusal, does_not_concern_an_empty_file) {
  put("");

  EXPECT_TRUE(is_written(create(*open(), "nightly")));
}

class SqliteIntegrity : public SqliteRefusal {
 protected:
  /// Damages the file behind the store's back; it is not open.
  void overwrite(std::int64_t offset, char byte) {
    std::fstream out{file_, std::ios::binary | std::ios::in | std::ios::out};
    out.seekp(offset);
    out.put(byte);
  }
  std::int64_t root_page_of(const std::string& table) {
    const auto connection = sqlite::Connection::open(file_, {}).value();
    return connection->number(fmt::format("SELECT rootpage FROM sqlite_schema WHERE name = '{}'", table)).value();
  }
};

TEST_F(SqliteIntegrity, is_there_after_all_kinds_of_writing) {
  const auto store = open();
  create(*store, "nightly").value();

  EXPECT_TRUE(store->check_integrity());
}

TEST_F(SqliteIntegrity, is_missed_where_a_byte_has_flipped) {
  for (const char* table : {"schedule_name", "past", "request"}) {
    std::filesystem::remove(file_);
    create(*open(), "nightly").value();
    overwrite((root_page_of(table) - 1) * 4'096 + 4, '\x7F');

    const auto found = open()->check_integrity();

    ASSERT_FALSE(found.has_value()) << table;
    EXPECT_EQ(found.error().code, ErrorCode::corrupt);
    EXPECT_THAT(found.error().message, HasSubstr(file_.string()));
  }
}

TEST_F(SqliteIntegrity, of_what_every_start_needs_is_missed_at_once) {
  create(*open(), "nightly").value();
  overwrite((root_page_of("ledger") - 1) * 4'096 + 4, '\x7F');

  EXPECT_EQ(refusal().code, ErrorCode::corrupt);
}

TEST_F(SqliteIntegrity, is_missed_where_rows_disagree) {
  commit(*open(), conformance::creation("nightly", noon).wakes_at(noon)).value();
  alter("DELETE FROM wake");

  const auto found = open()->check_integrity();

  ASSERT_FALSE(found.has_value());
  EXPECT_THAT(found.error().message, HasSubstr("wake"));
}

}  // namespace
}  // namespace carillon
