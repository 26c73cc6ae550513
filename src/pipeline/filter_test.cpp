#include "pipeline/filter.hpp"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

namespace carillon::pipeline {
namespace {

namespace json = boost::json;

const Item item =
    json::parse(R"({"s":"High Level","n":5,"t":"5","b":true,"l":["a","B"],"o":{"k":{"d":2}},"z":null,"e":""})")
        .get_object();

bool kept(FilterRule rule) { return keeps({.is_any = false, .rules = {std::move(rule)}}, item).value(); }

FilterRule compare(std::string field, FilterOperator how, json::value value) {
  return {.field = std::move(field), .how = how, .value = std::move(value), .values = {}, .pattern = {}};
}

FilterRule among(std::string field, FilterOperator how, std::vector<json::value> values) {
  return {.field = std::move(field), .how = how, .value = {}, .values = std::move(values), .pattern = {}};
}

FilterRule matching(std::string field, std::string pattern) {
  return {.field = std::move(field),
          .how = FilterOperator::matches,
          .value = {},
          .values = {},
          .pattern = std::move(pattern)};
}

TEST(RuleFilter, equality_converts_nothing) {
  EXPECT_TRUE(kept(compare("n", FilterOperator::equals, 5.0)));
  EXPECT_FALSE(kept(compare("t", FilterOperator::equals, 5)));
  EXPECT_TRUE(kept(compare("t", FilterOperator::not_equals, 5)));
  EXPECT_FALSE(kept(compare("l", FilterOperator::equals, json::parse(R"(["a","B"])"))));
  EXPECT_TRUE(kept(among("s", FilterOperator::in, {1, "High Level"})));
  EXPECT_FALSE(kept(among("n", FilterOperator::in, {"5"})));
  EXPECT_TRUE(kept(among("n", FilterOperator::not_in, {"5"})));
  EXPECT_TRUE(kept(among("n", FilterOperator::not_in, {})));
}

TEST(RuleFilter, contains_looks_at_texts_without_case) {
  EXPECT_TRUE(kept(compare("s", FilterOperator::contains, "LEVEL")));
  EXPECT_TRUE(kept(compare("l", FilterOperator::contains, "A,b")));
  EXPECT_TRUE(kept(compare("n", FilterOperator::contains, 5)));
  EXPECT_TRUE(kept(compare("b", FilterOperator::contains, "rue")));
  EXPECT_TRUE(kept(compare("o", FilterOperator::contains, "object")));
  EXPECT_FALSE(kept(compare("s", FilterOperator::not_contains, "level")));
  EXPECT_FALSE(kept(among("s", FilterOperator::contains, {})));
}

TEST(RuleFilter, orders_compare_numbers_as_javascript_reads_them) {
  EXPECT_TRUE(kept(compare("t", FilterOperator::gte, "5")));
  EXPECT_TRUE(kept(compare("t", FilterOperator::less_than, "0x10")));
  EXPECT_TRUE(kept(compare("e", FilterOperator::lte, 0)));
  EXPECT_TRUE(kept(compare("b", FilterOperator::greater_than, 0)));
  EXPECT_TRUE(kept(compare("n", FilterOperator::greater_than, nullptr)));
  EXPECT_FALSE(kept(compare("s", FilterOperator::greater_than, 0)));
  EXPECT_FALSE(kept(compare("s", FilterOperator::lte, 0)));
  EXPECT_FALSE(kept(among("n", FilterOperator::gte, {})));
}

TEST(RuleFilter, a_path_goes_into_maps_and_lists) {
  EXPECT_TRUE(kept(compare("o.k.d", FilterOperator::equals, 2)));
  EXPECT_TRUE(kept(compare("l.1", FilterOperator::equals, "B")));
  EXPECT_TRUE(kept(compare("l.length", FilterOperator::equals, 2)));
  EXPECT_FALSE(kept(compare("o.x.d", FilterOperator::not_equals, 2)));
}

TEST(RuleFilter, what_is_missing_or_null_fulfils_nothing) {
  for (const std::string field : {"z", "missing", "z.a"}) {
    EXPECT_FALSE(kept(compare(field, FilterOperator::not_equals, 1)));
    EXPECT_FALSE(kept(among(field, FilterOperator::not_in, {})));
    EXPECT_FALSE(kept(compare(field, FilterOperator::not_contains, "x")));
  }
}

TEST(RuleFilter, any_needs_one_rule_and_all_needs_every_one) {
  const FilterRule yes = compare("n", FilterOperator::equals, 5);
  const FilterRule no = compare("n", FilterOperator::equals, 6);

  EXPECT_TRUE(keeps({.is_any = true, .rules = {no, yes}}, item).value());
  EXPECT_FALSE(keeps({.is_any = false, .rules = {no, yes}}, item).value());
  EXPECT_TRUE(keeps({.is_any = false, .rules = {}}, item).value());
  EXPECT_FALSE(keeps({.is_any = true, .rules = {}}, item).value());
}

TEST(RuleFilter, patterns_are_those_of_javascript) {
  EXPECT_TRUE(kept(matching("s", "L[a-z]+l$")));
  EXPECT_FALSE(kept(matching("s", "^level")));
  EXPECT_TRUE(kept(matching("s", "\\u0048(?=igh)")));
  EXPECT_TRUE(kept(matching("n", "^\\d$")));
  EXPECT_TRUE(kept(matching("e", "^$")));
}

TEST(RuleFilter, a_pattern_that_explodes_is_an_error_and_not_a_halt) {
  const Item victim{{"s", std::string(60, 'a') + "!"}};

  const auto result = keeps({.is_any = false, .rules = {matching("s", "^(a+)+$")}}, victim);

  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().message, "the pattern takes too long on a text of 61 bytes");
}

TEST(AiFilter, a_text_keeps_by_a_plain_yes) {
  const AiFilter text{.asking = {}, .parallel = 5};
  for (const char* yes : {"Yes.", "I would include it", "TRUE", "yes, no doubt", "**pass**"})
    EXPECT_TRUE(is_kept_by(text, yes)) << yes;
  for (const char* no : {"", "no", "Do not include", "I don't think it should pass", "passed", "eyes"})
    EXPECT_FALSE(is_kept_by(text, no)) << no;
  EXPECT_TRUE(is_kept_by(text, "Do not include", true));
}

TEST(AiFilter, with_fields_only_bare_json_counts) {
  AiFilter filter;
  filter.asking.output = {"include"};

  EXPECT_TRUE(is_kept_by(filter, " {\"include\": true}\n"));
  for (const char* no : {"{\"include\": \"true\"}", "yes", "null", "[true]", "```\n{\"include\": true}\n```"})
    EXPECT_FALSE(is_kept_by(filter, no)) << no;
}

}  // namespace
}  // namespace carillon::pipeline
