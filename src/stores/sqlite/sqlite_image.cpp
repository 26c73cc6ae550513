#include "stores/sqlite/sqlite_image.hpp"

#include "base/assertion.hpp"
#include "stored_rows/byte_coding.hpp"
#include "stores/sqlite/connection.hpp"
#include "stores/sqlite/image_statements.hpp"
#include "stores/sqlite/opening.hpp"

#include <sqlite3.h>

#include <charconv>
#include <map>
#include <utility>

namespace carillon {
namespace {

using rows::ColumnKind;
using rows::ImageBytes;
using rows::ImageColumn;
using rows::ImageCounters;
using rows::ImageRow;
using rows::ImageTable;
using rows::ImageValue;
using sqlite::Connection;

using StatementPtr = std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)>;

Result<StatementPtr> prepare_image(Connection& connection, const char* sql) {
  sqlite3_stmt* handle = nullptr;
  const int code = sqlite3_prepare_v2(connection.handle(), sql, -1, &handle, nullptr);
  StatementPtr statement{handle, sqlite3_finalize};
  if (code != SQLITE_OK) return connection.fault(code);
  return statement;
}

std::string_view image_bytes(sqlite3_stmt* statement, int column) {
  const void* bytes = sqlite3_column_blob(statement, column);
  return {static_cast<const char*>(bytes), static_cast<std::size_t>(sqlite3_column_bytes(statement, column))};
}

/// Lists stand packed in the file where a table has them itself (`idempotency`); queries give them as text.
std::string unpacked_list(std::string_view bytes) {
  rows::ByteReader reader{bytes};
  std::string text;
  const std::uint64_t count = reader.number();
  for (std::uint64_t i = 0; i < count && reader.is_sound(); ++i)
    text += (i == 0 ? "" : ",") + std::to_string(reader.number());
  return text;
}

std::string packed_list(std::string_view text) {
  std::vector<std::uint64_t> numbers;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(','));
    std::uint64_t number = 0;
    (void)std::from_chars(word.data(), word.data() + word.size(), number);
    numbers.push_back(number);
    text.remove_prefix(std::min(text.size(), word.size() + 1));
  }
  std::string bytes;
  rows::ByteWriter writer{bytes};
  writer.number(numbers.size());
  for (const std::uint64_t number : numbers) writer.number(number);
  return bytes;
}

ImageValue image_value(sqlite3_stmt* statement, int column, ColumnKind kind) {
  const int type = sqlite3_column_type(statement, column);
  if (type == SQLITE_NULL) return {};
  switch (kind) {
    case ColumnKind::number:
    case ColumnKind::flag: return std::int64_t{sqlite3_column_int64(statement, column)};
    case ColumnKind::text: return std::string{image_bytes(statement, column)};
    case ColumnKind::bytes: return ImageBytes{std::string{image_bytes(statement, column)}};
    case ColumnKind::list:
      return type == SQLITE_BLOB ? unpacked_list(image_bytes(statement, column))
                                 : std::string{image_bytes(statement, column)};
  }
  return {};
}

class SqliteImageReader final : public rows::ImageReader {
 public:
  explicit SqliteImageReader(std::unique_ptr<Connection> connection) : connection_{std::move(connection)} {}

  Result<ImageCounters> read_counters() override {
    const auto statement =
        TRY(prepare_image(*connection_,
                          "SELECT seq, uid, session, zone_edition, settled_edition, feed, newest_write, "
                          "decided_at, audit_count, audit_head, (SELECT newest FROM lock_fence) FROM meta"));
    if (const int code = sqlite3_step(statement.get()); code != SQLITE_ROW) return connection_->fault(code);
    sqlite3_stmt* row = statement.get();
    ImageCounters counters{.seq = sqlite3_column_int64(row, 0),
                           .uid = sqlite3_column_int64(row, 1),
                           .session = sqlite3_column_int64(row, 2),
                           .zone_edition = sqlite3_column_int64(row, 3),
                           .settled_edition = sqlite3_column_int64(row, 4),
                           .feed_position = sqlite3_column_int64(row, 5),
                           .newest_write = sqlite3_column_int64(row, 6),
                           .decided_at = {},
                           .audit_count = sqlite3_column_int64(row, 8),
                           .audit_digest = std::string{image_bytes(row, 9)},
                           .lock_fence = sqlite3_column_int64(row, 10)};
    if (sqlite3_column_type(row, 7) != SQLITE_NULL) counters.decided_at = sqlite3_column_int64(row, 7);
    return counters;
  }

  Result<> read_rows(const ImageTable& table, const std::function<Result<>(std::span<const ImageRow>)>& take) override {
    const auto* statements = sqlite::find_image_statements(table.name);
    CARILLON_ASSERT(statements != nullptr);
    const auto statement = TRY(prepare_image(*connection_, statements->query));
    std::vector<ImageRow> page;
    for (;;) {
      const int code = sqlite3_step(statement.get());
      if (code != SQLITE_ROW && code != SQLITE_DONE) return connection_->fault(code);
      if (code == SQLITE_DONE) return page.empty() ? Result<>{} : take(page);
      ImageRow row;
      for (std::size_t i = 0; i < table.columns.size(); ++i)
        row.push_back(image_value(statement.get(), static_cast<int>(i), table.columns[i].kind));
      page.push_back(std::move(row));
      if (page.size() < rows::image_page_size) continue;
      TRY(take(page));
      page.clear();
    }
  }

 private:
  std::unique_ptr<Connection> connection_;
};

class SqliteImageWriter final : public rows::ImageWriter {
 public:
  explicit SqliteImageWriter(std::unique_ptr<Connection> connection) : connection_{std::move(connection)} {}
  ~SqliteImageWriter() override {
    statements_.clear();
    if (connection_->is_in_transaction()) (void)connection_->execute("ROLLBACK");
  }

  Result<> write_rows(const ImageTable& table, std::span<const ImageRow> rows) override {
    const auto* known = sqlite::find_image_statements(table.name);
    CARILLON_ASSERT(known != nullptr);
    auto& prepared = statements_[std::string{table.name}];
    if (prepared.empty())
      for (const char* sql : known->inserts) prepared.push_back(TRY(prepare_image(*connection_, sql)));
    for (const ImageRow& row : rows)
      for (const StatementPtr& statement : prepared) TRY(run(statement.get(), table, row));
    return {};
  }

  Result<> finish(const ImageCounters& counters) override {
    for (const char* sql : sqlite::image_finishing()) TRY(connection_->execute(sql));
    const auto statement = TRY(prepare_image(*connection_,
                                             "UPDATE meta SET seq = ?1, uid = ?2, session = ?3, zone_edition = ?4, "
                                             "settled_edition = ?5, feed = ?6, newest_write = ?7, decided_at = ?8, "
                                             "audit_count = ?9, audit_head = ?10"));
    sqlite3_stmt* update = statement.get();
    int place = 0;
    for (const std::int64_t number : {counters.seq, counters.uid, counters.session, counters.zone_edition,
                                      counters.settled_edition, counters.feed_position, counters.newest_write})
      sqlite3_bind_int64(update, ++place, number);
    if (counters.decided_at) sqlite3_bind_int64(update, 8, *counters.decided_at);
    sqlite3_bind_int64(update, 9, counters.audit_count);
    sqlite3_bind_text(update, 10, counters.audit_digest.data(), static_cast<int>(counters.audit_digest.size()),
                      SQLITE_TRANSIENT);
    if (const int code = sqlite3_step(update); code != SQLITE_DONE) return connection_->fault(code);
    TRY(connection_->execute("UPDATE lock_fence SET newest = " + std::to_string(counters.lock_fence)));
    statements_.clear();
    TRY(connection_->execute("COMMIT"));
    return connection_->checkpoint_all();
  }

 private:
  Result<> run(sqlite3_stmt* statement, const ImageTable& table, const ImageRow& row) {
    const int count = sqlite3_bind_parameter_count(statement);
    for (int place = 1; place <= count; ++place)
      bind(statement, place, table.columns[static_cast<std::size_t>(place - 1)], table.name,
           row[static_cast<std::size_t>(place - 1)]);
    const int code = sqlite3_step(statement);
    sqlite3_reset(statement);
    return code == SQLITE_DONE ? Result<>{} : connection_->fault(code);
  }

  static void bind(sqlite3_stmt* statement, int place, const ImageColumn& column, std::string_view table,
                   const ImageValue& value) {
    const auto bind_bytes = [&](std::string_view bytes) {
      sqlite3_bind_blob(statement, place, bytes.data(), static_cast<int>(bytes.size()), SQLITE_TRANSIENT);
    };
    if (const auto* number = std::get_if<std::int64_t>(&value)) {
      sqlite3_bind_int64(statement, place, *number);
    } else if (const auto* text = std::get_if<std::string>(&value)) {
      if (column.kind == ColumnKind::list && table == "idempotency")
        bind_bytes(packed_list(*text));
      else
        sqlite3_bind_text(statement, place, text->data(), static_cast<int>(text->size()), SQLITE_TRANSIENT);
    } else if (const auto* bytes = std::get_if<ImageBytes>(&value)) {
      // No bytes are bytes too, and not nothing.
      if (bytes->bytes.empty())
        sqlite3_bind_zeroblob(statement, place, 0);
      else
        bind_bytes(bytes->bytes);
    } else {
      sqlite3_bind_null(statement, place);
    }
  }

  std::unique_ptr<Connection> connection_;
  std::map<std::string, std::vector<StatementPtr>> statements_;  // by table
};

}  // namespace

Result<std::unique_ptr<rows::ImageReader>> SqliteImage::open_reader(const std::filesystem::path& file) {
  auto connection = TRY(Connection::open(file, {.access = sqlite::Access::read}));
  TRY(sqlite::check_owner(*connection));
  TRY(sqlite::expect_present_version(*connection));
  TRY(sqlite::check_everything(*connection));
  TRY(connection->execute("BEGIN"));
  return std::make_unique<SqliteImageReader>(std::move(connection));
}

Result<std::unique_ptr<rows::ImageWriter>> SqliteImage::open_writer(const std::filesystem::path& file) {
  auto connection = TRY(Connection::open(file, {}));
  TRY(sqlite::check_owner(*connection));
  TRY(sqlite::migrate(*connection));
  if (TRY(connection->number("SELECT (SELECT seq + uid + audit_count FROM meta) + (SELECT count(*) FROM token)")) != 0)
    return rows::not_empty(file.string());
  TRY(connection->execute("BEGIN IMMEDIATE"));
  return std::make_unique<SqliteImageWriter>(std::move(connection));
}

}  // namespace carillon
