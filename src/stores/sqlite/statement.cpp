#include "stores/sqlite/statement.hpp"

#include "base/utf8.hpp"
#include "stores/sqlite/connection.hpp"

#include <sqlite3.h>

namespace carillon::sqlite {
namespace {

/// The text with a question mark in a diamond in place of what is no UTF-8.
std::string mended(std::string_view text) {
  std::string whole;
  for (auto bad = find_malformed_utf8(text); bad; bad = find_malformed_utf8(text)) {
    whole.append(text.substr(0, *bad)).append("\uFFFD");
    text.remove_prefix(*bad + 1);
  }
  return whole.append(text);
}

/// The first table that a query reads.
std::string_view table_of(std::string_view sql) {
  constexpr std::string_view from = " FROM ";
  const std::size_t found = sql.find(from);
  if (found == std::string_view::npos) return "?";
  const std::string_view rest = sql.substr(found + from.size());
  return rest.substr(0, rest.find_first_of(" ,)"));
}

}  // namespace

Statement::~Statement() { sqlite3_finalize(handle_); }

void Statement::prepare() {
  code_ = SQLITE_OK;
  if (handle_ != nullptr) return;
  code_ = sqlite3_prepare_v3(connection_.handle(), sql_.c_str(), static_cast<int>(sql_.size()),
                             SQLITE_PREPARE_PERSISTENT, &handle_, nullptr);
}

Result<bool> Statement::step() {
  if (code_ != SQLITE_OK) return connection_.fault(code_);
  const int code = sqlite3_step(handle_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return connection_.fault(code);
}

Result<> Statement::step_to_end() {
  Result<bool> has_row = step();
  while (has_row && *has_row) has_row = step();
  reset();
  if (!has_row) return std::unexpected(std::move(has_row).error());
  return {};
}

void Statement::reset() { sqlite3_reset(handle_); }

void Statement::bind_number(int place, std::int64_t value) {
  if (code_ == SQLITE_OK) code_ = sqlite3_bind_int64(handle_, place, value);
}

void Statement::bind_nothing(int place) {
  if (code_ == SQLITE_OK) code_ = sqlite3_bind_null(handle_, place);
}

void Statement::bind_text(int place, std::string_view text) {
  // An empty text is not the same as none.
  const char* begin = text.data() == nullptr ? "" : text.data();
  if (code_ == SQLITE_OK) code_ = sqlite3_bind_text64(handle_, place, begin, text.size(), SQLITE_STATIC, SQLITE_UTF8);
}

void Statement::bind_blob(int place, std::string_view bytes) {
  const char* begin = bytes.data() == nullptr ? "" : bytes.data();
  if (code_ == SQLITE_OK) code_ = sqlite3_bind_blob64(handle_, place, begin, bytes.size(), SQLITE_STATIC);
}

Result<bool> Cursor::next() {
  TRY(check());
  return statement_.step();
}

Result<> Cursor::check() const { return statement_.connection_.flaw(); }

bool Cursor::is_null(int column) const { return sqlite3_column_type(statement_.handle_, column) == SQLITE_NULL; }

// Nothing is as good: whether it may be missing is for the schema to say.
bool Cursor::has_type(int column, int type) const {
  const int found = sqlite3_column_type(statement_.handle_, column);
  if (found == type || found == SQLITE_NULL) return true;
  note_flaw(column);
  return false;
}

// The value is looked up once, and then asked for its type and number: numbers are most of what is read. It needs no
// protection against other threads, since one at a time has the connection.
std::optional<std::int64_t> Cursor::number_if(int column) const {
  sqlite3_value* const value = sqlite3_column_value(statement_.handle_, column);
  const int type = sqlite3_value_type(value);
  if (type == SQLITE_INTEGER) return sqlite3_value_int64(value);
  if (type != SQLITE_NULL) note_flaw(column);
  return std::nullopt;
}

std::int64_t Cursor::number(int column) const { return number_if(column).value_or(0); }

std::optional<std::int64_t> Cursor::number_in_if(int column, std::int64_t min, std::int64_t max) const {
  const auto value = number_if(column);
  if (!value || (*value >= min && *value <= max)) return value;
  note_flaw(column);
  return min;
}

std::int64_t Cursor::number_in(int column, std::int64_t min, std::int64_t max) const {
  return number_in_if(column, min, max).value_or(0);
}

std::optional<Instant> Cursor::instant_if(int column) const {
  const auto value = number_if(column);
  if (!value) return std::nullopt;
  const Instant instant{Duration{*value}};
  if (is_possible(instant)) return instant;
  note_flaw(column);
  return Instant{};
}

Instant Cursor::instant(int column) const { return instant_if(column).value_or(Instant{}); }

Duration Cursor::duration(int column) const { return Duration{number_in(column, 0, stored_duration_max.count())}; }

std::string_view Cursor::text(int column) const {
  if (!has_type(column, SQLITE_TEXT)) return {};
  const auto* begin = reinterpret_cast<const char*>(sqlite3_column_text(statement_.handle_, column));
  const std::string_view text{begin, static_cast<std::size_t>(sqlite3_column_bytes(statement_.handle_, column))};
  if (!find_malformed_utf8(text)) return text;
  note_flaw(column);
  return {};
}

std::string Cursor::free_text(int column) const {
  if (!has_type(column, SQLITE_TEXT)) return {};
  const auto* begin = reinterpret_cast<const char*>(sqlite3_column_text(statement_.handle_, column));
  return mended({begin, static_cast<std::size_t>(sqlite3_column_bytes(statement_.handle_, column))});
}

std::string_view Cursor::bytes(int column) const {
  if (!has_type(column, SQLITE_BLOB)) return {};
  const auto* begin = static_cast<const char*>(sqlite3_column_blob(statement_.handle_, column));
  return {begin, static_cast<std::size_t>(sqlite3_column_bytes(statement_.handle_, column))};
}

void Cursor::note_flaw(int column) const {
  sqlite3_stmt* const row = statement_.handle_;
  std::string place;
  // The first column names the row in nearly every query.
  if (column > 0 && sqlite3_column_type(row, 0) == SQLITE_INTEGER)
    place = fmt::format(" {} {},", sqlite3_column_name(row, 0), sqlite3_column_int64(row, 0));
  statement_.connection_.note_flaw(
      fmt::format("table {},{} column {}", table_of(statement_.sql_), place, sqlite3_column_name(row, column)));
}

}  // namespace carillon::sqlite
