#pragma once

#include "base/instant.hpp"
#include "calendar/cron_field.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carillon {

// The small parts of sentences: numbers, names, lists, times.

[[nodiscard]] std::string_view month_name(int month);      // 1 = January
[[nodiscard]] std::string_view weekday_name(int weekday);  // 0 = Sunday

/// `1st`, `22nd`, `31st`.
[[nodiscard]] std::string ordinal(int number);
/// `first` to `fifth`.
[[nodiscard]] std::string_view ordinal_word(int number);
/// `1 minute`, `2 minutes`.
[[nodiscard]] std::string counted(std::int64_t number, std::string_view noun);
/// `a`, `a and b`, `a, b and c`.
[[nodiscard]] std::string join(const std::vector<std::string>& parts, std::string_view last = "and");
/// The text with its first letter in lower case, to stand inside a sentence.
[[nodiscard]] std::string inside_sentence(std::string text);

/// `1 hour 30 minutes`.
[[nodiscard]] std::string duration_words(Duration duration);
/// `hour`, `15 minutes`, `1 hour 30 minutes`: what stands behind "every".
[[nodiscard]] std::string every_words(Duration duration);

/// `09:00`, or `09:00:30` with seconds.
[[nodiscard]] std::string clock_text(int second_of_day, bool with_seconds);
/// `2027-03-14`.
[[nodiscard]] std::string date_text(std::int64_t wall_second);
/// `2027-01-31 09:00 UTC`, with seconds and a fraction only if they are not zero.
[[nodiscard]] std::string moment_text(Instant instant);

/// The bits of a mask, ascending.
[[nodiscard]] std::vector<int> values_of(std::uint64_t mask);
/// First through last as a mask.
[[nodiscard]] std::uint64_t mask_between(int first, int last);
/// All values of a field as a mask; not for years.
[[nodiscard]] std::uint64_t mask_of(CronField field);

/// Values a fixed step apart, at least two of them.
struct Progression {
  int first;
  int step;
  int last;
  int count;
};
[[nodiscard]] std::optional<Progression> progression_of(const std::vector<int>& values);
/// The progression of a mask if it goes through the whole field, from within the first step to within the last.
[[nodiscard]] std::optional<Progression> whole_field_progression(std::uint64_t mask, FieldRange range);
/// Whether the distance from the last value to the first of the next turn is the step too.
[[nodiscard]] bool is_even(const Progression& progression, FieldRange range);

/// A stretch of neighbouring values.
struct Span {
  int first;
  int last;
  [[nodiscard]] int length() const { return last - first + 1; }
};
[[nodiscard]] std::vector<Span> spans_of(const std::vector<int>& values);

using ValueText = std::function<std::string(int)>;

/// Values as a list for a sentence: `5, 20 and 35`, `9 to 17`. What would be longer than twelve items is shortened to
/// `0, 3, ... 57`, and so is an uneven progression through the whole field from seven values on.
[[nodiscard]] std::string list_text(const std::vector<int>& values, FieldRange range, const ValueText& text);

/// Names on a circle: `Friday to Sunday`, `November to February`, or a list; `circle` holds the values in the order in
/// which a list names them.
struct CircleText {
  std::string text;
  bool is_range;
};
[[nodiscard]] CircleText circle_text(std::uint64_t mask, const std::vector<int>& circle, const ValueText& text,
                                     std::string_view last = "and");

}  // namespace carillon
