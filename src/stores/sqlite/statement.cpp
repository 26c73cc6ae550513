#include "stores/sqlite/statement.hpp"

#include "stores/sqlite/connection.hpp"

#include <sqlite3.h>

namespace carillon::sqlite {

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

Result<> Cursor::check() const {
  if (is_sound_) return {};
  return fail(ErrorCode::corrupt, "{}: a row has a value that cannot be", statement_.connection_.file().string());
}

bool Cursor::is_null(int column) const { return sqlite3_column_type(statement_.handle_, column) == SQLITE_NULL; }

std::int64_t Cursor::number(int column) const { return sqlite3_column_int64(statement_.handle_, column); }

std::string_view Cursor::text(int column) const {
  const auto* begin = reinterpret_cast<const char*>(sqlite3_column_text(statement_.handle_, column));
  return {begin, static_cast<std::size_t>(sqlite3_column_bytes(statement_.handle_, column))};
}

std::string_view Cursor::bytes(int column) const {
  const auto* begin = static_cast<const char*>(sqlite3_column_blob(statement_.handle_, column));
  return {begin, static_cast<std::size_t>(sqlite3_column_bytes(statement_.handle_, column))};
}

}  // namespace carillon::sqlite
