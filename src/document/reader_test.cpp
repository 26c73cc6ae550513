#include "document/reader.hpp"

#include "document/document.hpp"

#include <gtest/gtest.h>

#include <array>

namespace carillon {
namespace {

using namespace std::chrono_literals;
using namespace std::string_view_literals;

boost::json::value tree(std::string_view text) { return parse_json(text).value(); }

constexpr std::array overlap_words{"skip"sv, "buffer_one"sv, "allow_all"sv};

TEST(ObjectReader, members_are_read_by_name) {
  const auto value = tree(R"({"text": "x", "integer": 7, "boolean": false, "duration": "1h30m",
                              "instant": "2027-01-31T09:00:00Z", "word": "allow_all"})");
  Problems problems;
  ObjectReader reader{value, "", problems};

  EXPECT_EQ(reader.text("text"), "x");
  EXPECT_EQ(reader.integer("integer"), 7);
  EXPECT_EQ(reader.boolean("boolean"), false);
  EXPECT_EQ(reader.duration("duration"), 90min);
  EXPECT_EQ(reader.instant("instant"), *parse_instant("2027-01-31T09:00:00Z"));
  EXPECT_EQ(reader.word("word", overlap_words), 2U);
  reader.finish();
  EXPECT_TRUE(problems.empty());
}

TEST(ObjectReader, a_member_that_is_left_out_or_null_is_absent_and_no_problem) {
  const auto value = tree(R"({"text": null})");
  Problems problems;
  ObjectReader reader{value, "", problems};

  EXPECT_EQ(reader.member("text"), nullptr);
  EXPECT_EQ(reader.text("text"), std::nullopt);
  EXPECT_EQ(reader.integer("other"), std::nullopt);
  reader.finish();
  EXPECT_TRUE(problems.empty());
}

TEST(ObjectReader, a_whole_number_is_an_integer_however_it_is_written) {
  const auto value = tree(R"({"a": 3.0, "b": 1e3, "c": 9223372036854775807, "d": -0.0})");
  Problems problems;
  ObjectReader reader{value, "", problems};

  EXPECT_EQ(reader.integer("a"), 3);
  EXPECT_EQ(reader.integer("b"), 1000);
  EXPECT_EQ(reader.integer("c"), INT64_MAX);
  EXPECT_EQ(reader.integer("d"), 0);
  EXPECT_TRUE(problems.empty());
}

TEST(ObjectReader, a_number_that_is_no_integer_is_refused) {
  for (const std::string_view text : {"1.5", "1e300", "18446744073709551615", "\"1\"", "true"}) {
    const auto value = tree(fmt::format(R"({{"a": {}}})", text));
    Problems problems;
    ObjectReader reader{value, "", problems};

    EXPECT_EQ(reader.integer("a"), std::nullopt) << text;
    ASSERT_EQ(problems.size(), 1U);
    EXPECT_EQ(problems.front().code, "wrong-type");
  }
}

TEST(ObjectReader, a_member_of_the_wrong_type_is_named_with_its_value) {
  const auto value = tree(R"({"a": 5, "b": [1, "x"], "c": "yes", "d": 60, "e": {}, "f": 1})");
  Problems problems;
  ObjectReader reader{value, "/spec", problems};

  static_cast<void>(reader.text("a"));
  static_cast<void>(reader.integer("b"));
  static_cast<void>(reader.boolean("c"));
  static_cast<void>(reader.duration("d"));
  static_cast<void>(reader.instant("e"));
  static_cast<void>(reader.word("f", overlap_words));

  struct Case {
    std::string_view pointer;
    std::string_view message;
    std::string_view hint;
  };
  constexpr std::array cases{
      Case{"/spec/a", "expected text, not a number 5", "put it in quotes"},
      Case{"/spec/b", "expected a whole number, not a list [1,\"x\"]", "write it with digits only, like 5"},
      Case{"/spec/c", "expected true or false, not text \"yes\"", "write true or false, without quotes"},
      Case{"/spec/d", "expected a duration, not a number 60", "write it as text with a unit, like 90s or 1h30m"},
      Case{"/spec/e", "expected a time, not an object {}", "write it as text, like 2027-01-31T09:00:00Z"},
      Case{"/spec/f", "expected text, not a number 1", "use one of: skip, buffer_one, allow_all"}};
  ASSERT_EQ(problems.size(), cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    EXPECT_EQ(problems[i].pointer, cases[i].pointer);
    EXPECT_EQ(problems[i].code, "wrong-type");
    EXPECT_EQ(problems[i].message, cases[i].message);
    EXPECT_EQ(problems[i].hint, cases[i].hint);
  }
}

TEST(ObjectReader, a_long_value_is_shortened_in_the_message) {
  std::string list = "[\"";
  for (int i = 0; i < 1000; ++i) list += "\u00e9";
  const auto value = tree("{\"a\": " + list + "\"]}");
  Problems problems;
  ObjectReader reader{value, "", problems};

  static_cast<void>(reader.integer("a"));

  ASSERT_EQ(problems.size(), 1U);
  EXPECT_TRUE(problems.front().message.ends_with("\u00e9\u2026"));
  EXPECT_LT(problems.front().message.size(), 120U);
}

TEST(ObjectReader, a_text_that_breaks_a_rule_keeps_the_name_and_place_of_the_fault) {
  const auto value = tree(R"({"jitter": "5x", "startAt": "2027-01-31"})");
  Problems problems;
  ObjectReader reader{value, "", problems};

  EXPECT_EQ(reader.duration("jitter"), std::nullopt);
  EXPECT_EQ(reader.instant("startAt"), std::nullopt);

  ASSERT_EQ(problems.size(), 2U);
  EXPECT_EQ(problems[0].code, "invalid-duration");
  EXPECT_EQ(problems[0].pointer, "/jitter");
  EXPECT_EQ(problems[0].position, 1U);
  EXPECT_EQ(problems[1].code, "invalid-time");
  EXPECT_EQ(problems[1].position, 10U);
}

TEST(ObjectReader, a_word_that_is_not_known_is_answered_with_those_that_are) {
  const auto value = tree(R"({"a": "Skip", "b": "whatever"})");
  Problems problems;
  ObjectReader reader{value, "", problems};

  EXPECT_EQ(reader.word("a", overlap_words), std::nullopt);
  EXPECT_EQ(reader.word("b", overlap_words), std::nullopt);

  ASSERT_EQ(problems.size(), 2U);
  EXPECT_EQ(problems[0].code, "invalid-word");
  EXPECT_EQ(problems[0].message, "unknown value \"Skip\" of a");
  EXPECT_EQ(problems[0].hint, "did you mean skip? use one of: skip, buffer_one, allow_all");
  EXPECT_EQ(problems[1].hint, "use one of: skip, buffer_one, allow_all");
}

TEST(ObjectReader, a_member_nobody_asked_for_is_an_unknown_key) {
  const auto value = tree(R"({"cron": "x", "timezome": "UTC", "zzz": 1, "a/b~c": 2})");
  Problems problems;
  ObjectReader reader{value, "/spec", problems};

  static_cast<void>(reader.text("cron"));
  static_cast<void>(reader.text("timezone"));
  reader.finish();

  ASSERT_EQ(problems.size(), 3U);
  EXPECT_EQ(problems[0].pointer, "/spec/timezome");
  EXPECT_EQ(problems[0].code, "unknown-key");
  EXPECT_EQ(problems[0].message, "unknown key \"timezome\"");
  EXPECT_EQ(problems[0].hint, "did you mean timezone?");
  EXPECT_EQ(problems[1].hint, "known keys: cron, timezone");
  EXPECT_EQ(problems[2].pointer, "/spec/a~1b~0c");
}

TEST(ObjectReader, unknown_keys_without_end_are_reported_up_to_a_bound) {
  std::string text = "{\"k\": 0";
  for (int i = 0; i < 1000; ++i) text += fmt::format(", \"x{}\": 0", i);
  const auto value = tree(text + "}");
  Problems problems;

  ObjectReader{value, "", problems}.finish();

  EXPECT_EQ(problems.size(), unknown_key_count_max);
}

TEST(ObjectReader, what_is_no_object_is_one_problem_and_every_member_absent) {
  const auto value = tree("[1]");
  Problems problems;
  ObjectReader reader{value, "/spec", problems};

  EXPECT_EQ(reader.text("a"), std::nullopt);
  EXPECT_EQ(reader.word("b", overlap_words), std::nullopt);
  reader.finish();

  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems.front().pointer, "/spec");
  EXPECT_EQ(problems.front().code, "not-an-object");
  EXPECT_EQ(problems.front().message, "expected an object, not a list [1]");
}

TEST(ObjectReader, a_caller_can_add_problems_of_its_own) {
  const auto value = tree("{}");
  Problems problems;
  ObjectReader reader{value, "", problems};

  reader.problem("a~b", "invalid-cron", "no such field", "write five");

  EXPECT_EQ(problems.front().pointer, "/a~0b");
  EXPECT_EQ(problems.front().code, "invalid-cron");
  EXPECT_EQ(problems.front().hint, "write five");
}

TEST(Problem, an_error_without_rule_is_named_by_its_code) {
  const Error error = fail(ErrorCode::not_found, "no such zone").error();

  EXPECT_EQ(to_problem("/timezone", error).code, "not_found");
}

TEST(Problem, several_problems_make_one_error_that_counts_the_rest) {
  const Problem first{.pointer = "/a", .code = "wrong-type", .message = "bad", .hint = "better", .position = 3};
  const Problem second{.pointer = "", .code = "unknown-key", .message = "worse", .hint = "", .position = {}};

  EXPECT_EQ(to_error({first}).message, "/a: bad");
  EXPECT_EQ(to_error({first}).rule, "wrong-type");
  EXPECT_EQ(to_error({first}).hint, "better");
  EXPECT_EQ(to_error({first}).position, 3U);
  EXPECT_EQ(to_error({first, second}).message, "/a: bad (and 1 more)");
  EXPECT_EQ(to_error({second}).message, "worse");
}

}  // namespace
}  // namespace carillon
