#include "data_folder/sealed_store.hpp"

#include "files/private_file.hpp"
#include "support/manual_clock.hpp"
#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace carillon {
namespace {

class QuietLog final : public Log {
 public:
  void write(LogLevel, std::string_view, std::initializer_list<LogField>) override {}
};

/// A data folder and the stores that are opened in it one after the other.
class SealedStore : public testing::Test {
 protected:
  std::unique_ptr<SqliteStore> open() {
    auto store = open_sealed_store(directory_, clock_, log_);
    EXPECT_TRUE(store) << store.error().message;
    return *std::move(store);
  }

  static AuditEntry login() {
    return {.actor = "token:ann",
            .address = {},
            .operation = "login",
            .name_space = {},
            .target = {},
            .outcome = "done",
            .before = {},
            .after = {}};
  }

  TemporaryFolder folder_;
  ManualClock clock_{Instant{std::chrono::days{20'000}}};
  QuietLog log_;
  DataDirectory directory_ = DataDirectory::take(folder_.path() / "data").value();
};

TEST_F(SealedStore, has_a_key_from_its_first_start_on) {
  ASSERT_TRUE(open()->append(login()));
  const auto key = read_private_file(directory_.audit_key()).value();

  EXPECT_EQ(key.value().size(), 32U);
  EXPECT_EQ(open()->find_broken_record().value(), std::nullopt);
  EXPECT_EQ(read_private_file(directory_.audit_key()).value(), key);
}

TEST_F(SealedStore, notes_that_it_was_sealed_anew) {
  ASSERT_TRUE(open()->append(login()));
  std::filesystem::remove(directory_.audit_key());

  const auto store = open();

  EXPECT_EQ(store->find_broken_record().value(), std::nullopt);
  EXPECT_EQ(store->read_audit(std::nullopt, std::nullopt, 1).value().at(0).entry.operation, "audit.seal");
}

TEST_F(SealedStore, with_half_a_key_is_refused) {
  open();
  ASSERT_TRUE(write_private_file(directory_.audit_key(), "half"));

  EXPECT_EQ(open_sealed_store(directory_, clock_, log_).error().code, ErrorCode::corrupt);
}

TEST_F(SealedStore, that_reads_as_a_new_one_beside_a_token_is_refused) {
  open();
  EXPECT_TRUE(expect_kept_store(directory_, clock_)) << "nothing says that it was in use";
  ASSERT_TRUE(write_private_file(directory_.admin_token(), "carillon_x"));

  const auto kept = expect_kept_store(directory_, clock_);

  ASSERT_FALSE(kept);
  EXPECT_EQ(kept.error().code, ErrorCode::corrupt);
  EXPECT_THAT(kept.error().message, testing::HasSubstr("carillon.db-wal"));
  EXPECT_NE(kept.error().hint, "");
}

}  // namespace
}  // namespace carillon
