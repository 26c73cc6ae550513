#pragma once

#include "base/error.hpp"
#include "calendar/cron.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace carillon {

/// The least and greatest value of a field; 7 for Sunday is not counted.
struct FieldRange {
  int min;
  int max;
};
[[nodiscard]] FieldRange range_of(CronField field);

/// Reads one field of a cron expression into a rule.
class CronFieldParser {
 public:
  /// `offset` is where the token stands in the whole text, for error positions.
  CronFieldParser(CronField field, std::string_view token, std::size_t offset, WallRule& rule, FieldShape& shape)
      : field_{field}, token_{token}, offset_{offset}, rule_{rule}, shape_{shape} {}

  /// False when the text is refused; `error()` then says why.
  [[nodiscard]] bool parse();
  [[nodiscard]] Error error() && { return std::move(*error_); }

 private:
  struct Item {
    std::string_view text;
    std::size_t begin;  // in token_
  };
  struct Value {
    int number;
    std::size_t length;  // characters read; 0 when there is no value
    bool is_name;
  };

  [[nodiscard]] bool parse_item(Item item);
  [[nodiscard]] bool parse_star(Item item);
  [[nodiscard]] bool parse_last_day(Item item);
  [[nodiscard]] bool parse_value_item(Item item);
  [[nodiscard]] bool parse_after_value(Item item, Value value);
  [[nodiscard]] bool parse_nearest_weekday(Item item, Value value);
  [[nodiscard]] bool parse_nth_weekday(Item item, Value value);
  [[nodiscard]] bool parse_last_weekday(Item item, Value value);
  [[nodiscard]] bool parse_range(Item item, Value first);
  [[nodiscard]] bool parse_step(Item item, std::size_t slash, int& step);
  [[nodiscard]] Value read_value(std::string_view text) const;
  [[nodiscard]] bool check_value(Item item, std::size_t begin, Value value);
  void add(int first, int last, int step);
  void add_all();

  [[nodiscard]] bool refuse(Item item, std::size_t position, std::string why, std::string hint,
                            std::string_view rule = "invalid-cron");
  [[nodiscard]] bool refuse_unreadable(Item item);
  [[nodiscard]] bool refuse_reversed(Item item, int first, int last);

  CronField field_;
  std::string_view token_;
  std::size_t offset_;
  WallRule& rule_;
  FieldShape& shape_;
  std::optional<Error> error_;
};

}  // namespace carillon
