#include "crontab/crontab_field.hpp"

#include "base/quoted.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>

namespace carillon {
namespace {

struct FieldTraits {
  std::string_view name;
  int min;
  int max;
};

// Cron's day of week goes up to 7, so that `*/7` there is Sunday twice.
constexpr std::array<FieldTraits, 5> traits_by_field{
    {{"minute", 0, 59}, {"hour", 0, 23}, {"day of month", 1, 31}, {"month", 1, 12}, {"day of week", 0, 7}}};

constexpr std::array<std::string_view, 12> month_names{"jan", "feb", "mar", "apr", "may", "jun",
                                                       "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::array<std::string_view, 7> weekday_names{"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

// More would not change what a step means, and is more than carillon reads.
constexpr int step_max = 100;
constexpr std::size_t digits_max = 9;
constexpr std::size_t digits_written_max = 4;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::uint64_t hash_of(std::string_view text, std::uint64_t hash) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1'099'511'628'211ULL;
  return hash;
}

class FieldReader {
 public:
  FieldReader(CrontabField field, std::string_view text, std::string_view seed)
      : field_{field}, traits_{traits_by_field[static_cast<std::size_t>(field)]}, text_{text}, seed_{seed} {}

  Result<CrontabFieldValues> read() {
    result_.has_star = text_.starts_with('*');
    std::string rewritten;
    std::size_t begin = 0;
    while (true) {
      const std::size_t comma = std::min(text_.find(',', begin), text_.size());
      if (begin > 0) rewritten += ',';
      rewritten += TRY(read_item(text_.substr(begin, comma - begin)));
      if (comma == text_.size()) break;
      begin = comma + 1;
    }
    result_.text = needs_rewriting_ ? std::move(rewritten) : std::string{text_};
    return std::move(result_);
  }

 private:
  struct Range {
    int first;
    int last;
    int step = 1;
  };

  /// Adds the values of an item and gives it as carillon reads it.
  Result<std::string> read_item(std::string_view item) {
    item_ = item;
    rest_ = item;
    if (item.empty()) return refuse("has an empty item", "remove the extra comma");
    if (item.contains('~')) return read_random();
    Range range{traits_.min, traits_.max};
    const bool is_star = take('*');
    bool has_dash = false;
    if (!is_star) {
      range.first = range.last = TRY(read_value());
      has_dash = take('-');
      if (has_dash) range.last = TRY(read_value());
    }
    if (rest_.starts_with('/') && !is_star && !has_dash)
      return refuse("has a step after a single value, which cron refuses",
                    fmt::format("write {}-{}{}", range.first, written_max(), rest_.substr(0, 8)));
    const bool has_step = take('/');
    if (has_step) range.step = TRY(read_step());
    if (!rest_.empty()) return refuse("cannot be read by cron", allowed());
    // Cron takes a weekday range that ends in Sunday for one that ends in 7, unless it has a step.
    if (field_ == CrontabField::day_of_week && range.last == 0 && range.first > 0 && !has_step) range.last = 7;
    if (range.last < range.first) return refuse_backwards(range);
    add(range);
    return is_star ? star_text(range) : range_text(range, has_dash);
  }

  Result<std::string> read_random() {
    Range range{traits_.min, traits_.max};
    if (!take('~')) {
      range.first = TRY(read_value());
      if (!take('~')) return refuse("cannot be read by cron", allowed());
    }
    if (!rest_.empty()) range.last = TRY(read_value());
    if (!rest_.empty()) return refuse("cannot be read by cron", allowed());
    if (range.last < range.first) return refuse_backwards(range);
    const std::uint64_t hash = hash_of(traits_.name, hash_of(seed_, 14'695'981'039'346'656'037ULL));
    const auto count = static_cast<std::uint64_t>(range.last - range.first + 1);
    const int chosen = range.first + static_cast<int>((hash >> 17) % count);
    result_.has_random_value = needs_rewriting_ = true;
    add({chosen, chosen});
    return fmt::format("{}", chosen);
  }

  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::string_view take_digits() {
    const auto length = static_cast<std::size_t>(std::ranges::find_if_not(rest_, is_digit) - rest_.begin());
    const std::string_view digits = rest_.substr(0, length);
    rest_.remove_prefix(length);
    if (digits.size() > digits_written_max) needs_rewriting_ = true;
    return digits;
  }

  Result<int> to_number(std::string_view digits) {
    if (digits.size() > digits_max) return refuse("has a number of too many digits", allowed());
    int number = 0;
    for (const char c : digits) number = number * 10 + (c - '0');
    return number;
  }

  Result<int> read_value() {
    if (rest_.empty()) return refuse("breaks off", allowed());
    if (is_letter(rest_.front())) return read_name();
    if (!is_digit(rest_.front())) return refuse("cannot be read by cron", allowed());
    const int number = TRY(to_number(take_digits()));
    if (number < traits_.min || number > traits_.max) return refuse("is out of range", allowed());
    return number;
  }

  Result<int> read_name() {
    const auto length = static_cast<std::size_t>(std::ranges::find_if_not(rest_, is_letter) - rest_.begin());
    const std::string_view word = rest_.substr(0, length);
    rest_.remove_prefix(length);
    const auto index_in = [&](std::span<const std::string_view> names) -> std::optional<int> {
      const auto found = std::ranges::find_if(
          names, [&](std::string_view name) { return std::ranges::equal(name, word, {}, {}, lower); });
      return found == names.end() ? std::nullopt : std::optional{static_cast<int>(found - names.begin())};
    };
    std::optional<int> number;
    if (field_ == CrontabField::month) number = index_in(month_names);
    if (field_ == CrontabField::day_of_week) number = index_in(weekday_names);
    if (!number) return refuse("cannot be read by cron", allowed());
    return field_ == CrontabField::month ? *number + 1 : *number;
  }

  Result<int> read_step() {
    const std::string_view digits = take_digits();
    if (digits.empty()) return refuse("has no number after the slash", "write a step like */5 or 10-50/10");
    const int step = TRY(to_number(digits));
    if (step == 0) return refuse("has a step of zero", "write a step of at least 1");
    if (step > step_max) needs_rewriting_ = true;
    return std::min(step, step_max);
  }

  void add(Range range) {
    for (int value = range.first; value <= range.last; value += range.step) result_.values |= std::uint64_t{1} << value;
  }

  [[nodiscard]] static std::string star_text(Range range) {
    return range.step == 1 ? "*" : fmt::format("*/{}", range.step);
  }

  [[nodiscard]] std::string range_text(Range range, bool has_dash) {
    if (field_ == CrontabField::day_of_week && range.first == 7 && has_dash) {
      // Carillon lets no range start at the end of the week.
      needs_rewriting_ = true;
      return "0";
    }
    if (!has_dash) return fmt::format("{}", range.first);
    return fmt::format("{}-{}{}", range.first, range.last, range.step == 1 ? "" : fmt::format("/{}", range.step));
  }

  [[nodiscard]] int written_max() const { return field_ == CrontabField::day_of_week ? 6 : traits_.max; }

  [[nodiscard]] std::string allowed() const {
    const std::string_view names = field_ == CrontabField::month         ? " or jan to dec"
                                   : field_ == CrontabField::day_of_week ? " or sun to sat"
                                                                         : "";
    return fmt::format("write {} to {}{}, *, a-b, a-b/n, */n, or a list of them", traits_.min, traits_.max, names);
  }

  [[nodiscard]] std::unexpected<Error> refuse_backwards(Range range) const {
    return refuse("runs backwards: cron never starts by it",
                  fmt::format("write {}-{},{}-{}", range.first, written_max(), traits_.min, range.last));
  }

  [[nodiscard]] std::unexpected<Error> refuse(std::string_view why, std::string hint) const {
    const std::string_view shown = item_.empty() ? text_ : item_;
    return std::unexpected(Error{.code = ErrorCode::invalid_argument,
                                 .message = fmt::format("{} in the {} field {}", quoted(shown), traits_.name, why),
                                 .hint = std::move(hint),
                                 .rule = "invalid-crontab",
                                 .position = {},
                                 .context = {}});
  }

  CrontabField field_;
  const FieldTraits& traits_;
  std::string_view text_;
  std::string_view seed_;
  std::string_view item_;
  std::string_view rest_;  // of the item
  bool needs_rewriting_ = false;
  CrontabFieldValues result_;
};

}  // namespace

Result<CrontabFieldValues> parse_crontab_field(CrontabField field, std::string_view text, std::string_view seed) {
  return FieldReader{field, text, seed}.read();
}

}  // namespace carillon
