#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "stores/sqlite/shared_rows.hpp"

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

struct sqlite3_stmt;

namespace carillon::sqlite {

class Connection;
class Cursor;

/// As many rows as SQLite can count.
[[nodiscard]] constexpr std::int64_t limit_of(std::size_t count_max) {
  return static_cast<std::int64_t>(std::min<std::size_t>(count_max, std::numeric_limits<std::int64_t>::max()));
}

/// Bytes to be kept as they are.
struct Blob {
  std::string_view bytes;
};

/// A statement, prepared when it is first used and kept. What its parameters stand for is bound anew each time.
class Statement {
 public:
  Statement(Connection& connection, std::string sql) : connection_{connection}, sql_{std::move(sql)} {}
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement();

  /// Runs it to its end.
  template <typename... Values>
  [[nodiscard]] Result<> run(const Values&... values) {
    prepare();
    int place = 0;
    (bind(++place, values), ...);
    return step_to_end();
  }

  /// Its rows. Texts that are bound must outlive the cursor, and there is one cursor at a time.
  template <typename... Values>
  [[nodiscard]] Cursor query(const Values&... values);

 private:
  friend class Cursor;

  void prepare();
  [[nodiscard]] Result<bool> step();
  [[nodiscard]] Result<> step_to_end();
  void reset();

  void bind_number(int place, std::int64_t value);
  void bind_nothing(int place);
  void bind_text(int place, std::string_view text);
  void bind_blob(int place, std::string_view bytes);

  template <std::integral Number>
  void bind(int place, Number value) {
    bind_number(place, static_cast<std::int64_t>(value));
  }
  template <typename Enum>
    requires std::is_enum_v<Enum>
  void bind(int place, Enum value) {
    bind_number(place, static_cast<std::int64_t>(value));
  }
  void bind(int place, Instant value) { bind_number(place, value.time_since_epoch().count()); }
  void bind(int place, Duration value) { bind_number(place, value.count()); }
  void bind(int place, std::string_view text) { bind_text(place, text); }
  void bind(int place, const std::string& text) { bind_text(place, text); }
  void bind(int place, Blob blob) { bind_blob(place, blob.bytes); }
  void bind(int place, std::nullopt_t) { bind_nothing(place); }
  template <typename Value>
  void bind(int place, const std::optional<Value>& value) {
    value ? bind(place, *value) : bind_nothing(place);
  }

  Connection& connection_;
  std::string sql_;
  sqlite3_stmt* handle_ = nullptr;
  int code_ = 0;  // of what went wrong before the first step
};

/// The rows of a query, one after the other. The statement is free again when the cursor goes.
///
/// Values are checked as they are read, since the file may be damaged. A value that cannot be reads as zero, nothing or
/// empty, and is noted at the connection: whoever runs the work of a call refuses its outcome
/// (`Connection::take_flaw`), so that no reader of rows can forget to.
class Cursor {
 public:
  explicit Cursor(Statement& statement) : statement_{statement} {}
  Cursor(const Cursor&) = delete;
  Cursor& operator=(const Cursor&) = delete;
  ~Cursor() { statement_.reset(); }

  /// Whether there is another row; the columns are its.
  [[nodiscard]] Result<bool> next();
  /// Corrupt if a row of this call has had a value that cannot be. For those who act on values before the call ends.
  [[nodiscard]] Result<> check() const;

  [[nodiscard]] bool is_null(int column) const;
  /// Any whole number; nothing reads as zero.
  [[nodiscard]] std::int64_t number(int column) const;
  [[nodiscard]] std::int64_t number_in(int column, std::int64_t min, std::int64_t max) const;
  /// How many, how often, which one: never negative.
  [[nodiscard]] std::int64_t count(int column) const { return number_in(column, 0, stored_count_max); }
  /// Well-formed UTF-8; nothing reads as empty.
  [[nodiscard]] std::string_view text(int column) const;
  /// What commands, workers and callers have said: malformed UTF-8 is replaced, not refused.
  [[nodiscard]] std::string free_text(int column) const;
  [[nodiscard]] std::string_view bytes(int column) const;

  [[nodiscard]] bool flag(int column) const { return number(column) != 0; }
  [[nodiscard]] Instant instant(int column) const;
  [[nodiscard]] Duration duration(int column) const;
  /// None if the column has nothing.
  [[nodiscard]] std::optional<std::int64_t> number_if(int column) const;
  [[nodiscard]] std::optional<Instant> instant_if(int column) const;
  /// For ids and other numbers that are types of their own.
  template <typename Number>
  [[nodiscard]] Number as(int column) const {
    return static_cast<Number>(count(column));
  }
  /// An enumerator of those from zero to `last`.
  template <typename Enum>
  [[nodiscard]] Enum one_of(int column, Enum last) const {
    return static_cast<Enum>(number_in(column, 0, static_cast<std::int64_t>(last)));
  }
  template <typename Enum>
  [[nodiscard]] std::optional<Enum> one_of_if(int column, Enum last) const {
    const auto value = number_in_if(column, 0, static_cast<std::int64_t>(last));
    return value ? std::optional{static_cast<Enum>(*value)} : std::nullopt;
  }

  /// Notes that the value of a column cannot be, for rules beyond those above.
  void note_flaw(int column) const;

 private:
  [[nodiscard]] bool has_type(int column, int type) const;
  [[nodiscard]] std::optional<std::int64_t> number_in_if(int column, std::int64_t min, std::int64_t max) const;

  Statement& statement_;
};

template <typename... Values>
Cursor Statement::query(const Values&... values) {
  prepare();
  int place = 0;
  (bind(++place, values), ...);
  return Cursor{*this};
}

}  // namespace carillon::sqlite
