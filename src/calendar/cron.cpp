#include "calendar/cron.hpp"

#include "base/quoted.hpp"
#include "calendar/cron_field.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace carillon {
namespace {

struct Alias {
  std::string_view name;
  std::string_view meaning;
};

constexpr std::array<Alias, 7> aliases{{{"@yearly", "0 0 1 1 *"},
                                        {"@annually", "0 0 1 1 *"},
                                        {"@monthly", "0 0 1 * *"},
                                        {"@weekly", "0 0 * * 0"},
                                        {"@daily", "0 0 * * *"},
                                        {"@midnight", "0 0 * * *"},
                                        {"@hourly", "0 * * * *"}}};

bool is_blank(char c) { return c == ' ' || c == '\t'; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool equals_ignoring_case(std::string_view a, std::string_view b) { return std::ranges::equal(a, b, {}, lower, lower); }

bool starts_with_ignoring_case(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() && equals_ignoring_case(text.substr(0, prefix.size()), prefix);
}

std::unexpected<Error> refuse(std::size_t position, std::string message, std::string hint,
                              std::string_view rule = "invalid-cron") {
  return std::unexpected(Error{.code = ErrorCode::invalid_argument,
                               .message = std::move(message),
                               .hint = std::move(hint),
                               .rule = rule,
                               .position = position,
                               .context = {}});
}

struct Token {
  std::string_view text;
  std::size_t offset;
};

/// The blank-separated words of a text; `count` goes on counting behind the last that is kept.
struct Tokens {
  std::array<Token, 6> words;
  std::size_t count = 0;
};

Tokens split(std::string_view text) {
  Tokens tokens;
  std::size_t position = 0;
  while (true) {
    while (position < text.size() && is_blank(text[position])) ++position;
    if (position == text.size()) return tokens;
    const std::size_t begin = position;
    while (position < text.size() && !is_blank(text[position])) ++position;
    if (tokens.count < tokens.words.size()) tokens.words[tokens.count] = {text.substr(begin, position - begin), begin};
    ++tokens.count;
  }
}

std::string field_count_hint(std::string_view text, const Tokens& tokens) {
  if (tokens.count == 7) return "leave the year out, or write a calendar, which has a year field";
  if (text.find_first_of("\r\n") != std::string_view::npos) return "write one expression on one line";
  return "write minute, hour, day of month, month, day of week, like 0 9 * * 1-5";
}

std::unexpected<Error> refuse_alias(const Token& word, std::size_t count) {
  if (starts_with_ignoring_case(word.text, "@every")) {
    return refuse(word.offset, "@every is an interval, not a cron expression",
                  "write it under intervals, like every: 5m");
  }
  if (equals_ignoring_case(word.text, "@reboot")) {
    return refuse(word.offset, "@reboot has no meaning here: a durable schedule does not end with the machine",
                  "write @daily or an interval, or let the service manager start the command");
  }
  if (count > 1)
    return refuse(word.offset, fmt::format("something follows the alias {}", quoted(word.text)),
                  "write the alias alone");
  return refuse(word.offset, fmt::format("{} is not an alias", quoted(word.text)),
                "use @yearly, @annually, @monthly, @weekly, @daily, @midnight or @hourly");
}

/// The plain date that no month of the expression has, for the message of a never-firing one.
Error never_fires(const Cron& cron, std::size_t position) {
  static constexpr std::array<std::string_view, 13> names{"",        "January",  "February", "March",  "April",
                                                          "May",     "June",     "July",     "August", "September",
                                                          "October", "November", "December"};
  const int day = cron.rule.day.days == 0 ? 0 : std::countr_zero(cron.rule.day.days);
  const int month = std::countr_zero(cron.rule.months);
  std::string message =
      day > 0 ? fmt::format("{} {} never occurs", day, names[static_cast<std::size_t>(month)])
              : fmt::format("the day-of-month rule never matches in {}", names[static_cast<std::size_t>(month)]);
  if (std::popcount(cron.rule.months) > 1) message += ", nor in the other months given";
  return {.code = ErrorCode::invalid_argument,
          .message = std::move(message),
          .hint = "write L for the last day of the month, or another month",
          .rule = "never-fires",
          .position = position,
          .context = {}};
}

Result<Cron> parse_fields(std::string_view text, const Tokens& tokens) {
  Cron cron;
  cron.text = text;
  cron.has_seconds = tokens.count == 6;
  cron.rule = {.seconds = cron.has_seconds ? 0ULL : 1ULL,
               .minutes = 0,
               .hours = 0,
               .months = 0,
               .day = {},
               .any_year = true,
               .years = {}};
  cron.rule.day.either_field_suffices = true;
  for (std::size_t i = 0; i < tokens.count; ++i) {
    const std::size_t field = cron.has_seconds ? i : i + 1;
    CronFieldParser parser{static_cast<CronField>(field), tokens.words[i].text, tokens.words[i].offset, cron.rule,
                           cron.shape[field]};
    if (!parser.parse()) return std::unexpected(std::move(parser).error());
  }
  if (!cron.rule.can_match()) return std::unexpected(never_fires(cron, tokens.words[tokens.count - 3].offset));
  return cron;
}

}  // namespace

bool Cron::is_wildcard() const {
  return field(CronField::second).starts_with_star || field(CronField::minute).starts_with_star ||
         field(CronField::hour).starts_with_star;
}

Result<Cron> parse_cron(std::string_view text) {
  if (text.size() > cron_length_max) {
    return refuse(cron_length_max, fmt::format("the expression has {} characters", text.size()),
                  fmt::format("write at most {}; split it into several expressions", cron_length_max));
  }
  const Tokens tokens = split(text);
  if (tokens.count == 0)
    return refuse(0, "the expression is empty", "write five fields, like 0 9 * * 1-5, or an alias like @daily");
  const std::string_view first = tokens.words[0].text;
  if (starts_with_ignoring_case(first, "TZ=") || starts_with_ignoring_case(first, "CRON_TZ=")) {
    return refuse(tokens.words[0].offset, fmt::format("{} is not allowed in the expression", quoted(first)),
                  "give the zone as timezone (--tz on the command line)");
  }
  if (first.front() == '@') {
    const auto alias = std::ranges::find_if(
        aliases, [&](const Alias& a) { return equals_ignoring_case(a.name, tokens.words[0].text); });
    if (alias == aliases.end() || tokens.count > 1) return refuse_alias(tokens.words[0], tokens.count);
    Cron cron = TRY(parse_fields(alias->meaning, split(alias->meaning)));
    cron.text = text;
    cron.is_alias = true;
    return cron;
  }
  if (tokens.count < 5 || tokens.count > 6) {
    return refuse(tokens.count > 6 ? tokens.words[5].offset + tokens.words[5].text.size() : text.size(),
                  fmt::format("{} has {} field{}, not 5, or 6 with seconds first", quoted(text), tokens.count,
                              tokens.count == 1 ? "" : "s"),
                  field_count_hint(text, tokens));
  }
  return parse_fields(text, tokens);
}

Result<FieldShape> parse_cron_field(CronField field, std::string_view text, WallRule& rule) {
  FieldShape shape;
  if (text.size() > cron_length_max) {
    return refuse(cron_length_max, fmt::format("the {} field has {} characters", to_text(field), text.size()),
                  fmt::format("write at most {}", cron_length_max));
  }
  if (const auto blank = text.find_first_of(" \t"); blank != std::string_view::npos) {
    return refuse(blank, fmt::format("{} in the {} field has a blank", quoted(text), to_text(field)),
                  "separate values by commas");
  }
  if (text.empty()) return refuse(0, fmt::format("the {} field is empty", to_text(field)), "write *, or leave it out");
  CronFieldParser parser{field, text, 0, rule, shape};
  if (!parser.parse()) return std::unexpected(std::move(parser).error());
  return shape;
}

}  // namespace carillon
