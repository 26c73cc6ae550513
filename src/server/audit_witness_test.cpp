#include "server/audit_witness.hpp"

#include "ports/audit_digest.hpp"
#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace carillon {
namespace {

using testing::HasSubstr;

class SilentLog final : public Log {
 public:
  void write(LogLevel level, std::string_view event, std::initializer_list<LogField>) override {
    if (level == LogLevel::error) errors.emplace_back(event);
  }
  std::vector<std::string> errors;
};

/// A log in memory.
class ListedAudit final : public AuditLog {
 public:
  Result<> append(const AuditEntry& entry) override {
    AuditRecord record{.number = static_cast<std::int64_t>(records.size()) + 1, .at = {}, .entry = entry, .digest = {}};
    record.digest = digest_of(record, records.empty() ? "" : records.back().digest);
    records.push_back(record);
    return {};
  }
  Result<std::vector<AuditRecord>> read_audit(std::optional<std::int64_t> before, const std::optional<std::string>&,
                                              std::size_t) override {
    const auto count = std::min<std::size_t>(records.size(), static_cast<std::size_t>(before.value_or(1'000) - 1));
    return count == 0 ? std::vector<AuditRecord>{} : std::vector{records[count - 1]};
  }
  Result<std::optional<AuditBreak>> find_broken_record() override { return std::nullopt; }
  Result<AuditHead> read_audit_head() override {
    if (records.empty()) return AuditHead{};
    return AuditHead{.count = records.back().number, .digest = records.back().digest};
  }

  std::vector<AuditRecord> records;
};

/// A server's memory of a log, and the log, which may be another one the next time.
class AuditWitnessTest : public testing::Test {
 protected:
  static void note(ListedAudit& store, const std::string& operation) {
    ASSERT_TRUE(store.append({.actor = "code",
                              .address = {},
                              .operation = operation,
                              .name_space = {},
                              .target = {},
                              .outcome = "done",
                              .before = {},
                              .after = {}}));
  }

  TemporaryFolder folder;
  SilentLog log;
  ListedAudit store;
  AuditWitness witness{store, folder.path() / "audit.head", log};
};

TEST_F(AuditWitnessTest, a_log_that_goes_on_is_whole) {
  note(store, "one");
  witness.look();
  note(store, "two");
  witness.look();

  EXPECT_EQ(witness.find_broken_record().value(), std::nullopt);
  EXPECT_TRUE(log.errors.empty());
}

TEST_F(AuditWitnessTest, a_log_that_is_shorter_than_before_is_broken) {
  note(store, "one");
  note(store, "two");
  witness.look();
  ListedAudit older;
  note(older, "one");
  AuditWitness same{older, folder.path() / "audit.head", log};

  same.look();
  const auto broken = same.find_broken_record().value();

  ASSERT_TRUE(broken);
  EXPECT_EQ(broken->number, 2);
  EXPECT_THAT(broken->reason, HasSubstr("an older copy"));
  EXPECT_EQ(log.errors.size(), 1U);
}

TEST_F(AuditWitnessTest, a_chain_that_was_written_anew_is_broken) {
  note(store, "one");
  witness.look();
  ListedAudit forged;
  note(forged, "other");
  note(forged, "two");
  AuditWitness same{forged, folder.path() / "audit.head", log};

  const auto broken = same.find_broken_record().value();

  ASSERT_TRUE(broken);
  EXPECT_EQ(broken->number, 1);
}

}  // namespace
}  // namespace carillon
