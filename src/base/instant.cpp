#include "base/instant.hpp"

#include "base/assertion.hpp"
#include "base/civil.hpp"
#include "base/quoted.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace carillon {
namespace {

using std::chrono::seconds;

constexpr std::size_t fraction_digits_max = 9;

/// Walks over the text; every step says whether it fitted and stops where it did not.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_{text} {}

  [[nodiscard]] std::size_t position() const { return position_; }
  [[nodiscard]] bool at_end() const { return position_ == text_.size(); }

  bool skip_any_of(std::string_view characters) {
    if (at_end() || characters.find(text_[position_]) == std::string_view::npos) return false;
    ++position_;
    return true;
  }

  /// Exactly `count` digits; of a number that is too large, the cursor stays at its beginning.
  std::optional<int> digits(std::size_t count, int value_max = 9999) {
    const std::size_t begin = position_;
    int value = 0;
    for (std::size_t i = 0; i < count; ++i, ++position_) {
      if (at_end() || !is_digit(text_[position_])) return std::nullopt;
      value = value * 10 + (text_[position_] - '0');
    }
    if (value <= value_max) return value;
    position_ = begin;
    return std::nullopt;
  }

  /// One or more digits after the point. Up to nanoseconds are read, and cut off after the microsecond; what is finer
  /// must be zero.
  std::optional<int> fraction_in_microseconds() {
    int value = 0;
    std::size_t count = 0;
    for (; !at_end() && is_digit(text_[position_]); ++position_, ++count) {
      const int digit = text_[position_] - '0';
      if (count < 6) {
        value = value * 10 + digit;
      } else if (count >= fraction_digits_max && digit != 0) {
        return std::nullopt;
      }
    }
    if (count == 0) return std::nullopt;
    for (; count < 6; ++count) value *= 10;
    return value;
  }

 private:
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }

  std::string_view text_;
  std::size_t position_ = 0;
};

std::unexpected<Error> bad_instant(std::string_view text, std::size_t position, std::string_view why) {
  return std::unexpected(
      Error{.code = ErrorCode::invalid_argument,
            .message = fmt::format("{} is not a time: {}", quoted(text), why),
            .hint = "write RFC 3339 with a zone, like 2027-01-31T09:00:00Z or 2027-01-31T09:00:00-05:00",
            .rule = "invalid-time",
            .position = position,
            .context = {}});
}

/// `Z`, `+hh:mm` or `-hh:mm`.
std::optional<seconds> read_offset(Cursor& cursor) {
  if (cursor.skip_any_of("Zz")) return seconds{0};
  const bool is_east = cursor.skip_any_of("+");
  if (!is_east && !cursor.skip_any_of("-")) return std::nullopt;
  const auto hours = cursor.digits(2, 23);
  if (!hours || !cursor.skip_any_of(":")) return std::nullopt;
  const auto minutes = cursor.digits(2, 59);
  if (!minutes) return std::nullopt;
  const seconds offset{*hours * 3600 + *minutes * 60};
  return is_east ? offset : -offset;
}

}  // namespace

Result<Instant> parse_instant(std::string_view text) {
  Cursor cursor{text};
  const auto year = cursor.digits(4);
  if (!year || !cursor.skip_any_of("-")) return bad_instant(text, cursor.position(), "expected a date like 2027-01-31");
  const auto month = cursor.digits(2);
  if (!month || !cursor.skip_any_of("-"))
    return bad_instant(text, cursor.position(), "expected a date like 2027-01-31");
  const auto day = cursor.digits(2);
  if (!day) return bad_instant(text, cursor.position(), "expected a date like 2027-01-31");
  if (!checked_date(*year, *month, *day)) return bad_instant(text, 0, "the calendar has no such date");
  if (!cursor.skip_any_of("Tt ")) return bad_instant(text, cursor.position(), "expected T and a time of day");

  const auto hour = cursor.digits(2, 23);
  if (!hour || !cursor.skip_any_of(":")) return bad_instant(text, cursor.position(), "expected hh:mm:ss");
  const auto minute = cursor.digits(2, 59);
  if (!minute || !cursor.skip_any_of(":")) return bad_instant(text, cursor.position(), "expected hh:mm:ss");
  const auto second = cursor.digits(2, 59);
  if (!second) return bad_instant(text, cursor.position(), "expected seconds from 00 to 59");
  int microseconds = 0;
  if (cursor.skip_any_of(".")) {
    const auto fraction = cursor.fraction_in_microseconds();
    if (!fraction) return bad_instant(text, cursor.position(), "expected a fraction of at most nine digits");
    microseconds = *fraction;
  }
  const auto offset = read_offset(cursor);
  if (!offset) return bad_instant(text, cursor.position(), "expected Z or an offset like +02:00");
  if (!cursor.at_end()) return bad_instant(text, cursor.position(), "something follows the zone");

  const std::int64_t local =
      days_from_civil(*year, *month, *day) * seconds_per_day + *hour * 3600 + *minute * 60 + *second;
  const Instant instant{seconds{local} - *offset + Duration{microseconds}};
  if (instant < instant_min || instant > instant_max)
    return bad_instant(text, 0, "it lies outside the years 1900 to 2199");
  return instant;
}

void append_text(std::string& out, Instant instant) {
  const auto whole = std::chrono::floor<seconds>(instant);
  const std::int64_t total = whole.time_since_epoch().count();
  const std::int64_t days = floor_divide(total, seconds_per_day);
  CARILLON_ASSERT(days >= days_from_civil(1, 1, 1) && days <= days_from_civil(9999, 12, 31));
  const auto of_day = static_cast<int>(total - days * seconds_per_day);
  const CivilDate date = civil_from_days(static_cast<std::int32_t>(days));
  std::array<char, 28> text{"0000-00-00T00:00:00.000000Z"};
  const auto put = [&text](std::size_t end, int value) {
    for (; value > 0; value /= 10) text[--end] = static_cast<char>('0' + value % 10);
  };
  put(4, date.year);
  put(7, date.month);
  put(10, date.day);
  put(13, of_day / 3600);
  put(16, of_day / 60 % 60);
  put(19, of_day % 60);
  std::size_t size = 19;
  if (const auto fraction = (instant - whole).count(); fraction != 0) {
    put(26, static_cast<int>(fraction));
    for (size = 26; text[size - 1] == '0';) --size;
  }
  text[size++] = 'Z';
  out.append(text.data(), size);
}

std::string to_text(Instant instant) {
  std::string text;
  append_text(text, instant);
  return text;
}

}  // namespace carillon
