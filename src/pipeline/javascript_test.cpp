#include "pipeline/javascript.hpp"

#include "pipeline/json_text.hpp"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include <cmath>
#include <limits>

namespace carillon::pipeline {
namespace {

namespace json = boost::json;

TEST(Javascript, numbers_are_written_as_javascript_writes_them) {
  EXPECT_EQ(number_text(0.1), "0.1");
  EXPECT_EQ(number_text(-0.0), "0");
  EXPECT_EQ(number_text(1e21), "1e+21");
  EXPECT_EQ(number_text(123456789012345680000.0), "123456789012345680000");
  EXPECT_EQ(number_text(0.000001), "0.000001");
  EXPECT_EQ(number_text(1.5e-7), "1.5e-7");
  EXPECT_EQ(number_text(-12.25), "-12.25");
  EXPECT_EQ(number_text(std::numeric_limits<double>::infinity()), "Infinity");
}

TEST(Javascript, values_become_texts) {
  EXPECT_EQ(string_of(json::parse("[1,[2,null],\"x\"]")), "1,2,,x");
  EXPECT_EQ(string_of(json::object{}), "[object Object]");
  EXPECT_EQ(string_of(nullptr), "null");
}

TEST(Javascript, texts_become_numbers) {
  EXPECT_EQ(number_of(" 12 "), 12);
  EXPECT_EQ(number_of(""), 0);
  EXPECT_EQ(number_of("0x1F"), 31);
  EXPECT_EQ(number_of("0b101"), 5);
  EXPECT_EQ(number_of("1e3"), 1000);
  EXPECT_EQ(number_of(".5"), 0.5);
  EXPECT_EQ(number_of("5."), 5);
  EXPECT_EQ(number_of("+7"), 7);
  EXPECT_EQ(number_of("-Infinity"), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(number_of(true), 1);
  EXPECT_EQ(number_of(nullptr), 0);
  EXPECT_EQ(number_of(json::parse("[\"3\"]")), 3);
  for (const char* text : {"1,5", "12px", "inf", "nan", "--1", "0x", "1e", "."})
    EXPECT_TRUE(std::isnan(number_of(text))) << text;
  EXPECT_TRUE(std::isnan(number_of(json::object{})));
}

TEST(Javascript, identity_converts_nothing) {
  EXPECT_TRUE(are_identical(5, 5.0));
  EXPECT_FALSE(are_identical("5", 5));
  EXPECT_FALSE(are_identical(1, true));
  EXPECT_FALSE(are_identical(json::array{}, json::array{}));
}

TEST(Javascript, letters_of_all_scripts_have_a_lower_case) {
  EXPECT_EQ(lower_case("ŁÓDŹ Ärger ΣΑ"), "łódź ärger σα");
  EXPECT_EQ(trimmed("\ufeff \u00a0\tx \u3000"), "x");
  EXPECT_EQ(first_characters("äöü", 2), "äö");
  EXPECT_EQ(well_formed("a\xff\xc3z"), "a\ufffd\ufffdz");
}

std::string fault_of_json(std::string_view text) {
  const auto value = parse_answer_json(text);
  return value ? "" : value.error().message;
}

TEST(AnswerJson, is_read_to_the_last_bit) {
  EXPECT_EQ(
      compact(
          parse_answer_json(R"({"b":1.1,"a":[0.3,-0,1E2,12345678901234567890],"b":"\u00e4\ud83d\ude00\n"})").value()),
      R"({"b":"ä😀\n","a":[0.3,0,100,12345678901234567000]})");
}

TEST(AnswerJson, faults_have_the_words_of_node) {
  EXPECT_EQ(fault_of_json(""), "Unexpected end of JSON input");
  EXPECT_EQ(fault_of_json("[1,]"), "Unexpected token ']', \"[1,]\" is not valid JSON");
  EXPECT_EQ(fault_of_json("[{\"a\": oops, \"b\": 12345}]"),
            "Unexpected token 'o', \"[{\"a\": oops, \"b\":\"... is not valid JSON");
  EXPECT_EQ(fault_of_json("{\"a\" 1}"), "Expected ':' after property name in JSON at position 5");
  EXPECT_EQ(fault_of_json("{\"a\":1,\"b\" \"c\"}"), "Unexpected string in JSON at position 11");
  EXPECT_EQ(fault_of_json("{a:1}"), "Expected property name or '}' in JSON at position 1");
  EXPECT_EQ(fault_of_json("{\"a\":1,}"), "Expected double-quoted property name in JSON at position 7");
  EXPECT_EQ(fault_of_json("{\"a\":1"), "Expected ',' or '}' after property value in JSON at position 6");
  EXPECT_EQ(fault_of_json("[1 2]"), "Expected ',' or ']' after array element in JSON at position 3");
  EXPECT_EQ(fault_of_json("\"a\nb\""), "Bad control character in string literal in JSON at position 2");
  EXPECT_EQ(fault_of_json("{} x"), "Unexpected non-whitespace character after JSON at position 3");
}

TEST(AnswerJson, deep_and_huge_values_are_refused) {
  EXPECT_NE(fault_of_json(std::string(100'000, '[')), "");
  EXPECT_NE(fault_of_json("1e999"), "");
  EXPECT_NE(fault_of_json("\"\xff\""), "");
}

}  // namespace
}  // namespace carillon::pipeline
