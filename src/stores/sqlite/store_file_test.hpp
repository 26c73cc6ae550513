#pragma once

#include "conformance/transition_builder.hpp"
#include "stores/sqlite/sqlite_store.hpp"
#include "support/manual_clock.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <sys/resource.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace carillon {

/// Files of this process do not grow beyond a size while this lasts: a disk that is full.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(std::uintmax_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &limit);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

/// A folder for one store file, and the few steps that its tests take.
class StoreFileTest : public testing::Test {
 protected:
  static constexpr Instant noon{std::chrono::sys_days{std::chrono::year{2026} / 3 / 1} + std::chrono::hours{12}};

  std::unique_ptr<SqliteStore> open(const SqliteOptions& options = {}) {
    return SqliteStore::open(file_, clock_, options).value();
  }
  /// The error of a file that is refused.
  Error refusal() {
    const auto store = SqliteStore::open(file_, clock_);
    return store ? Error{} : store.error();
  }

  static Result<CommitResult> commit(SqliteStore& store, const conformance::TransitionBuilder& builder) {
    return store.commit({.writer = {.server = 1, .batch = 1}, .transitions = std::span{&builder.transition(), 1}});
  }
  static Result<CommitResult> create(SqliteStore& store, std::string_view id, std::string document = "{}") {
    return commit(store, conformance::creation(conformance::key_of(id), noon, std::move(document)));
  }
  static bool is_written(const Result<CommitResult>& committed) {
    return committed && committed->items.at(0).outcome == WriteOutcome::Outcome::written;
  }
  static ScheduleView view(SqliteStore& store, std::string_view id) {
    return store.find(conformance::key_of(id)).value().view.value();
  }
  static std::vector<std::string> ledger(SqliteStore& store) {
    const auto records = store.read_ledger(Seq{}, 100'000).value();
    std::vector<std::string> lines;
    for (const LedgerRecord& record : records) lines.push_back(to_json(record));
    return lines;
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
  std::filesystem::path file_ = folder_.path() / "store.db";
  ManualClock clock_{noon};
};

}  // namespace carillon
