#include "oracle/oracle.hpp"
#include "oracle/spec_json.hpp"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <string>

// oracle_batch_check INPUT OUTPUT: compares what `carillon next --batch` made of INPUT with the oracle.
// Prints how many lines were checked and how many are wrong, with examples. Exit code 1 if any is wrong.

namespace carillon::oracle {
namespace {

namespace json = boost::json;

constexpr int examples_max = 20;

struct Tally {
  std::uint64_t checked = 0;
  std::uint64_t wrong = 0;
  std::uint64_t refused = 0;
  std::uint64_t too_long = 0;
};

Instant time_of(const json::value& value) { return parse_instant(value.as_string()).value(); }

json::array times_from(const Oracle& oracle, Instant moment, bool is_backwards, std::int64_t count) {
  json::array times;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto found = is_backwards ? oracle.previous(moment) : oracle.next(moment);
    if (!found) break;
    times.emplace_back(to_text(*found));
    moment = *found;
  }
  return times;
}

json::array times_until(const Oracle& oracle, Instant moment, bool is_backwards, Instant until) {
  const auto found = is_backwards ? oracle.occurrences(until, moment) : oracle.occurrences(moment + Duration{1}, until);
  json::array times;
  for (const Instant instant : found) times.emplace_back(to_text(instant));
  if (is_backwards) std::reverse(times.begin(), times.end());
  return times;
}

json::array expected_times(const json::object& line) {
  const Oracle oracle{spec_of_json(line.at("spec")), Instant{}};
  const bool is_backwards = line.contains("before");
  const Instant moment = time_of(line.at(is_backwards ? "before" : "after"));
  if (const json::value* count = line.if_contains("count")) {
    return times_from(oracle, moment, is_backwards, count->as_int64());
  }
  return times_until(oracle, moment, is_backwards, time_of(line.at("until")));
}

bool never_matches(const Pattern& pattern) {
  constexpr Second first_day = -25567;  // 1900-01-01
  constexpr Second last_day = 84005;    // 2199-12-31
  for (Second day = first_day; day <= last_day; ++day) {
    if (pattern.matches_date(date_of(day))) return false;
  }
  return true;
}

/// Only a spec with a rule that can never match may be refused.
bool has_impossible_rule(const json::object& line) {
  const Spec spec = spec_of_json(line.at("spec"));
  for (const std::string& text : spec.crons) {
    if (never_matches(pattern_of_cron(text))) return true;
  }
  for (const Calendar& calendar : spec.calendars) {
    if (never_matches(pattern_of_calendar(calendar))) return true;
  }
  for (const Calendar& calendar : spec.exclude) {
    if (never_matches(pattern_of_calendar(calendar))) return true;
  }
  return false;
}

/// What should have been answered, or an empty text if the answer is right.
std::string fault_in(const json::object& question, const json::object& answer, Tally& tally) {
  if (answer.contains("error")) {
    ++tally.refused;
    return has_impossible_rule(question) ? "" : json::serialize(expected_times(question));
  }
  const json::array expected = expected_times(question);
  return answer.at("next") == expected ? "" : json::serialize(expected);
}

void check_line(const std::string& question, const std::string& answer, Tally& tally) {
  ++tally.checked;
  std::string fault;
  try {
    fault = fault_in(json::parse(question).as_object(), json::parse(answer).as_object(), tally);
  } catch (const SearchTooLong&) {
    ++tally.too_long;
  } catch (const std::exception& error) {
    fault = fmt::format("cannot be compared: {}", error.what());
  }
  if (fault.empty() || ++tally.wrong > examples_max) return;
  fmt::print("line {}\n  asked     {}\n  answered  {}\n  expected  {}\n", tally.checked, question, answer, fault);
}

int run(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: oracle_batch_check INPUT OUTPUT\n");
    return 2;
  }
  std::ifstream questions{argv[1]};
  std::ifstream answers{argv[2]};
  Tally tally;
  std::string question;
  std::string answer;
  while (std::getline(questions, question)) {
    // A missing answer is a wrong one.
    if (!std::getline(answers, answer)) answer = "{}";
    check_line(question, answer, tally);
  }
  if (std::getline(answers, answer)) {
    fmt::print("there are more answers than questions\n");
    ++tally.wrong;
  }
  fmt::print("{} lines checked, {} wrong ({} refused, {} too long for the oracle)\n", tally.checked, tally.wrong,
             tally.refused, tally.too_long);
  return tally.wrong == 0 && tally.checked > 0 ? 0 : 1;
}

}  // namespace
}  // namespace carillon::oracle

int main(int argc, char** argv) { return carillon::oracle::run(argc, argv); }
