#pragma once

#include "base/instant.hpp"
#include "stored_rows/stored_range.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct pg_result;

namespace carillon::postgres {

/// One row of an answer. A value that cannot be reads as zero, nothing or empty, and is noted (`ResultRows::is_sound`):
/// the transaction refuses its outcome, so that no reader of rows can forget to.
class Row {
 public:
  Row(const pg_result* result, int row, bool& is_sound) : result_{result}, row_{row}, is_sound_{is_sound} {}

  [[nodiscard]] bool is_null(int column) const;
  /// Any whole number or truth value; nothing reads as zero.
  [[nodiscard]] std::int64_t number(int column) const;
  [[nodiscard]] std::int64_t number_in(int column, std::int64_t min, std::int64_t max) const;
  /// How many, how often, which one: never negative.
  [[nodiscard]] std::int64_t count(int column) const { return number_in(column, 0, rows::stored_count_max); }
  [[nodiscard]] bool flag(int column) const { return number(column) != 0; }
  [[nodiscard]] std::string_view bytes(int column) const;
  [[nodiscard]] std::string text(int column) const { return std::string{bytes(column)}; }
  [[nodiscard]] std::optional<std::string> text_if(int column) const;
  [[nodiscard]] Instant instant(int column) const;
  [[nodiscard]] Duration duration(int column) const { return Duration{number(column)}; }
  [[nodiscard]] std::optional<std::int64_t> number_if(int column) const;
  [[nodiscard]] std::optional<Instant> instant_if(int column) const;
  /// Of an array of numbers.
  [[nodiscard]] std::vector<std::int64_t> numbers(int column) const;

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
    return is_null(column) ? std::nullopt : std::optional{one_of(column, last)};
  }

 private:
  const pg_result* result_;
  int row_;
  bool& is_sound_;
};

/// The answer to one statement.
class ResultRows {
 public:
  explicit ResultRows(std::shared_ptr<pg_result> result);

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] Row operator[](std::size_t row) const;
  /// How many rows the statement has changed.
  [[nodiscard]] std::int64_t changed_count() const;
  /// Whether every value that was read could be.
  [[nodiscard]] const std::shared_ptr<bool>& is_sound() const { return is_sound_; }

  class Iterator {
   public:
    Iterator(const ResultRows& rows, std::size_t row) : rows_{&rows}, row_{row} {}
    Row operator*() const { return (*rows_)[row_]; }
    Iterator& operator++() {
      ++row_;
      return *this;
    }
    friend bool operator!=(const Iterator& a, const Iterator& b) { return a.row_ != b.row_; }

   private:
    const ResultRows* rows_;
    std::size_t row_;
  };
  [[nodiscard]] Iterator begin() const { return {*this, 0}; }
  [[nodiscard]] Iterator end() const { return {*this, size_}; }

 private:
  std::shared_ptr<pg_result> result_;  // shared: rows are handed on by value
  std::shared_ptr<bool> is_sound_;
  std::size_t size_ = 0;
};

}  // namespace carillon::postgres
