#include "stores/sqlite/connection.hpp"

#include "ports/store_health.hpp"
#include "stores/sqlite/statement.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace carillon::sqlite {
namespace {

constexpr int busy_timeout_ms = 5'000;

int open_flags(Access access) {
  // One thread at a time has a connection, so it needs no mutex of its own.
  const int common = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  switch (access) {
    case Access::read: return common | SQLITE_OPEN_READONLY;
    case Access::read_beside: return common | SQLITE_OPEN_READWRITE;
    case Access::write: return common | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  }
  std::unreachable();
}

ErrorCode meaning_of(int code) {
  switch (code & 0xFF) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_FORMAT:
    case SQLITE_ERROR:  // a statement that does not fit the tables
    case SQLITE_SCHEMA: return ErrorCode::corrupt;
    case SQLITE_TOOBIG:
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
    case SQLITE_RANGE: return ErrorCode::invalid_argument;
    default: return ErrorCode::unavailable;
  }
}

std::string_view rule_for(int code) {
  switch (code & 0xFF) {
    case SQLITE_FULL: return rule_of(StoreFailureKind::full);
    case SQLITE_IOERR: return rule_of(StoreFailureKind::io);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL: return rule_of(StoreFailureKind::locked);
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_READONLY: return rule_of(StoreFailureKind::unwritable);
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT: return rule_of(StoreFailureKind::damaged);
    default: return {};
  }
}

std::string hint_for(int code) {
  if ((code & 0xFF) == SQLITE_NOTADB) return "name another file, or move this one away to begin with an empty store";
  const auto kind = failure_kind_of(rule_for(code));
  return kind ? std::string{remedy_of(*kind)} : std::string{};
}

std::string_view text_of(Bound bound) {
  switch (bound) {
    case Bound::begin: return "BEGIN";
    case Bound::begin_to_write: return "BEGIN IMMEDIATE";
    case Bound::commit: return "COMMIT";
    case Bound::roll_back: return "ROLLBACK";
    case Bound::save: return "SAVEPOINT work";
    case Bound::release: return "RELEASE work";
  }
  std::unreachable();
}

}  // namespace

Result<std::unique_ptr<Connection>> Connection::open(const std::filesystem::path& file,
                                                     const ConnectionOptions& options) {
  std::unique_ptr<Connection> connection{new Connection{file}};
  const int code = sqlite3_open_v2(file.c_str(), &connection->handle_, open_flags(options.access), nullptr);
  if (code != SQLITE_OK) return connection->fault(code);
  TRY(connection->configure(options));
  return connection;
}

Connection::~Connection() {
  for (sqlite3_stmt* bound : bounds_) sqlite3_finalize(bound);
  sqlite3_close(handle_);
}

Result<> Connection::configure(const ConnectionOptions& options) {
  sqlite3_busy_timeout(handle_, busy_timeout_ms);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  // We have none of these. Somebody else's must not run, even if they come while the file is open.
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
  const auto length_max = std::min<std::size_t>(options.row_size_max, std::numeric_limits<int>::max());
  sqlite3_limit(handle_, SQLITE_LIMIT_LENGTH, static_cast<int>(length_max));
  TRY(
      execute("PRAGMA synchronous = FULL; PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY;"
              "PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = 67108864;"));
  TRY(execute(fmt::format("PRAGMA cache_size = -{}", options.cache_bytes >> 10)));
  if (options.access != Access::write) return execute("PRAGMA query_only = ON");
  sqlite3_wal_hook(handle_, note_log, this);
  // What is removed is not to be found in free pages.
  TRY(execute("PRAGMA secure_delete = ON"));
  if (options.page_count_max) TRY(execute(fmt::format("PRAGMA max_page_count = {}", *options.page_count_max)));
  return {};
}

int Connection::note_log(void* connection, sqlite3* /*handle*/, const char* /*database*/, int page_count) {
  static_cast<Connection*>(connection)->log_page_count_ = static_cast<std::size_t>(page_count);
  return SQLITE_OK;
}

Result<> Connection::execute(const std::string& sql) {
  const int code = sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return fault(code);
  return {};
}

Result<> Connection::execute(Bound bound) {
  sqlite3_stmt*& statement = bounds_.at(static_cast<std::size_t>(bound));
  int code = SQLITE_OK;
  if (statement == nullptr) {
    const std::string_view text = text_of(bound);
    code = sqlite3_prepare_v3(handle_, text.data(), static_cast<int>(text.size()), SQLITE_PREPARE_PERSISTENT,
                              &statement, nullptr);
    if (code != SQLITE_OK) return fault(code);
  }
  code = sqlite3_step(statement);
  if (code == SQLITE_DONE) {
    sqlite3_reset(statement);
    return {};
  }
  // Told before the statement is put back, which has an opinion of its own about the last error.
  auto error = fault(code);
  sqlite3_reset(statement);
  return error;
}

Result<std::int64_t> Connection::number(const std::string& query) {
  Statement statement{*this, query};
  Cursor row = statement.query();
  if (!TRY(row.next())) return fail(ErrorCode::corrupt, "{}: no result of {}", file_.string(), query);
  const std::int64_t value = row.number(0);
  TRY(take_flaw({}));
  return value;
}

std::int64_t Connection::total_change_count() const { return sqlite3_total_changes64(handle_); }

std::int64_t Connection::change_count() const { return sqlite3_changes64(handle_); }

bool Connection::is_in_transaction() const { return sqlite3_get_autocommit(handle_) == 0; }

Result<> Connection::checkpoint() {
  const int code = sqlite3_wal_checkpoint_v2(handle_, nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
  // Somebody else does it at this moment.
  if (code != SQLITE_OK && (code & 0xFF) != SQLITE_BUSY) return fault(code);
  return {};
}

Result<> Connection::checkpoint_all() {
  const int code = sqlite3_wal_checkpoint_v2(handle_, nullptr, SQLITE_CHECKPOINT_FULL, nullptr, nullptr);
  if (code != SQLITE_OK) return fault(code);
  return {};
}

std::unexpected<Error> Connection::fault(int code) {
  if ((code & 0xFF) == SQLITE_IOERR) is_broken_ = true;
  const char* cause = handle_ == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(handle_);
  auto error = fail(meaning_of(code), "{}: {} (SQLite error {})", file_.string(), cause, code);
  error.error().hint = hint_for(code);
  error.error().rule = rule_for(code);
  return error;
}

Result<> Connection::flaw() const {
  if (!flaw_) return {};
  return std::unexpected(*flaw_);
}

void Connection::note_flaw(std::string_view place) {
  // The first one: others may follow from it.
  if (flaw_) return;
  flaw_ = fail(ErrorCode::corrupt, "{}: {} has an invalid value", file_.string(), place).error();
  flaw_->hint = hint_for(SQLITE_CORRUPT);
}

Result<> Connection::take_flaw(Result<> outcome) {
  if (!flaw_) return outcome;
  return std::unexpected(*std::exchange(flaw_, std::nullopt));
}

}  // namespace carillon::sqlite
