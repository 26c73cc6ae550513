#include "document/document.hpp"

#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <rapidcheck/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace carillon {
namespace {

namespace json = boost::json;

std::string repeated(std::string_view part, std::size_t size) {
  std::string text;
  while (text.size() + part.size() <= size) text += part;
  return text;
}

/// The tree as JSON, or the message of the error.
std::string read(std::string_view text) {
  const auto document = parse_yaml(text);
  return document ? json::serialize(document->root) : document.error().message;
}

struct Case {
  std::string_view text;
  std::string_view result;
};

TEST(Yaml, plain_scalars_follow_the_core_schema) {
  constexpr std::array cases{
      Case{"", "null"},
      Case{"~", "null"},
      Case{"null", "null"},
      Case{"Null", "null"},
      Case{"NULL", "null"},
      Case{"nULL", "\"nULL\""},
      Case{"true", "true"},
      Case{"True", "true"},
      Case{"FALSE", "false"},
      Case{"tRUE", "\"tRUE\""},
      Case{"yes", "\"yes\""},
      Case{"no", "\"no\""},
      Case{"on", "\"on\""},
      Case{"off", "\"off\""},
      Case{"y", "\"y\""},
      Case{"0", "0"},
      Case{"-0", "0"},
      Case{"+12", "12"},
      Case{"-12", "-12"},
      Case{"010", "10"},
      Case{"0o17", "15"},
      Case{"0x1F", "31"},
      Case{"0xffffffffffffffff", "18446744073709551615"},
      Case{"-0x1F", "\"-0x1F\""},
      Case{"0b11", "\"0b11\""},
      Case{"0o8", "\"0o8\""},
      Case{"0x", "\"0x\""},
      Case{"1_000", "\"1_000\""},
      Case{"1:30", "\"1:30\""},
      Case{"18446744073709551615", "18446744073709551615"},
      Case{"99999999999999999999", "1E20"},
      Case{"1.5", "1.5E0"},
      Case{"-.5", "-5E-1"},
      Case{"1.", "1E0"},
      Case{"1e3", "1E3"},
      Case{"+1.5E-3", "1.5E-3"},
      Case{".", "\".\""},
      Case{"1e", "\"1e\""},
      Case{"-", "[null]"},
      Case{"+", "\"+\""},
      Case{"1.2.3", "\"1.2.3\""},
      Case{"2027-01-31", "\"2027-01-31\""},
      Case{"2027-01-31T09:00:00Z", "\"2027-01-31T09:00:00Z\""},
      Case{"1h30m", "\"1h30m\""},
  };

  for (const auto& [text, result] : cases) EXPECT_EQ(read(text), result) << text;
}

TEST(Yaml, a_quoted_scalar_is_always_text) {
  constexpr std::array cases{Case{"'1'", "\"1\""},         Case{"\"true\"", "\"true\""}, Case{"'~'", "\"~\""},
                             Case{"''", "\"\""},           Case{"\"\"", "\"\""},         Case{"|\n  12\n", "\"12\\n\""},
                             Case{">-\n  no\n", "\"no\""}, Case{"'it''s'", "\"it's\""},  Case{"! 12", "\"12\""}};

  for (const auto& [text, result] : cases) EXPECT_EQ(read(text), result) << text;
}

TEST(Yaml, numbers_the_tree_has_no_place_for_are_refused) {
  constexpr std::array cases{
      Case{"a: .inf", "line 1, column 4: \".inf\" is not a finite number"},
      Case{"-.INF", "line 1, column 1: \"-.INF\" is not a finite number"},
      Case{".NaN", "line 1, column 1: \".NaN\" is not a finite number"},
      Case{"1e400", "line 1, column 1: the number \"1e400\" does not fit a double"},
      Case{"0xfffffffffffffffff", "line 1, column 1: the number \"0xfffffffffffffffff\" does not fit 64 bits"},
      Case{"0o7777777777777777777777777",
           "line 1, column 1: the number \"0o7777777777777777777777777\" does not fit 64 bits"}};

  for (const auto& [text, result] : cases) EXPECT_EQ(read(text), result);
}

TEST(Yaml, lists_and_mappings_become_a_tree) {
  constexpr std::array cases{
      Case{"a: 1\nb:\n  - x\n  - y: z\n    w: [1, {k: v}]\nc: {}\n",
           R"({"a":1,"b":["x",{"y":"z","w":[1,{"k":"v"}]}],"c":{}})"},
      Case{"- - a\n  - b\n-\n- c", R"([["a","b"],null,"c"])"},
      Case{"---\na: 1\n...\n", R"({"a":1})"},
      Case{"# only a comment\n", "null"},
      Case{"a:\nb: # nothing\n", R"({"a":null,"b":null})"},
      Case{"a: b # comment\n", R"({"a":"b"})"},
      Case{"1: x\ntrue: y\n", R"({"1":"x","true":"y"})"},
      Case{"{a, b: }", R"({"a":null,"b":null})"},
      Case{"[a: 1, b]", R"([{"a":1},"b"])"},
      Case{"a: |\n  x\n   y\n\nb: >\n  p\n  q\n", R"({"a":"x\n y\n","b":"p q\n"})"},
      Case{"? a\n: 1\n", R"({"a":1})"},
      Case{"a: 1\r\nb: 2\r\n", R"({"a":1,"b":2})"},
      Case{"\xEF\xBB\xBF"
           "a: 1",
           R"({"a":1})"},
      Case{"%YAML 1.2\n---\na: no\n", R"({"a":"no"})"},
      Case{"{\"a\":1,\"b\":[true,null]}", R"({"a":1,"b":[true,null]})"},
      Case{R"("\x41\u00e9\t\0\N\_")", "\"A\u00e9\\t\\u0000\u0085\u00a0\""},
  };

  for (const auto& [text, result] : cases) EXPECT_EQ(read(text), result) << text;
}

TEST(Yaml, core_tags_are_obeyed_and_others_refused) {
  constexpr std::array cases{Case{"!!str 12", "\"12\""},
                             Case{"a: !!str\n", "{\"a\":\"\"}"},
                             Case{"!!str", "line 1, column 1: nothing follows this tag"},
                             Case{"!!int '12'", "12"},
                             Case{"!!float 1", "1"},
                             Case{"!!bool true", "true"},
                             Case{"!!null ''", "null"},
                             Case{"!!map {}", "{}"},
                             Case{"!!seq []", "[]"},
                             Case{"!!int x", "line 1, column 1: \"x\" does not fit the tag !!int"},
                             Case{"!!binary aGk=", "line 1, column 1: \"aGk=\" does not fit the tag !!binary"},
                             Case{"a: !secret x", "line 1, column 4: the tag \"!secret\" is not known"},
                             Case{"!!seq {}", "line 1, column 1: the tag \"tag:yaml.org,2002:seq\" is not known"},
                             Case{"!!set {a}", "line 1, column 1: the tag \"tag:yaml.org,2002:set\" is not known"}};

  for (const auto& [text, result] : cases) EXPECT_EQ(read(text), result) << text;
}

TEST(Yaml, what_is_no_yaml_is_refused_where_the_fault_is) {
  constexpr std::array cases{
      Case{"a: 1\na: 2", "line 2, column 1: the key \"a\" appears twice"},
      Case{"{a: 1, 'a': 2}", "line 1, column 8: the key \"a\" appears twice"},
      Case{"a:\n  b: 1\n  \"\\x62\": 2", "line 3, column 3: the key \"b\" appears twice"},
      Case{"--- a\n--- b", "line 2, column 1: a second document begins here"},
      Case{"a: 1\n...\nb: 2", "line 3, column 1: this does not belong to the document above"},
      Case{"[1] 2", "line 1, column 5: this does not belong to the document above"},
      Case{",", "line 1, column 1: this does not belong to the document above"},
      Case{"- a\nb: 1", "line 2, column 1: this does not belong to the document above"},
      Case{"a: \"x", "line 1, column 6: a quote is not closed"},
      Case{"a: \"x\n", "line 2, column 1: a quote is not closed"},
      Case{"a: 'x\n  ", "line 2, column 3: a quote is not closed"},
      Case{"[1, 2", "line 1, column 1: this bracket is not closed, or is used as a key"},
      Case{"a: [1, 2", "line 1, column 9: '[' is not closed, or a comma is missing"},
      Case{"a: {b: 1", "line 1, column 9: '{' is not closed, or a comma is missing"},
      Case{"[1,,2]", "line 1, column 4: there is nothing before this comma"},
      Case{"{a,,b}", "line 1, column 4: a key must be text"},
      Case{"a: b: c", "line 1, column 5: a colon is not allowed here"},
      Case{"a: \"x\" y", "line 1, column 8: this does not fit the mapping above it"},
      Case{"a:\n - 1\n- 2", "line 3, column 1: this does not fit the mapping above it"},
      Case{"a: @x", "line 1, column 4: a value cannot start like this"},
      Case{"a: ]", "line 1, column 4: this closing bracket has no opening one"},
      Case{"a: 1\n\tb: 2", "line 2, column 1: a tab in the indentation"},
      Case{"a: * * * *", "line 1, column 4: text that starts with * must be in quotes"},
      Case{"spec:\n\tcron: x", "line 2, column 1: a tab in the indentation"},
      Case{"? [1]\n: 2", "line 1, column 3: this bracket is not closed, or is used as a key"},
      Case{"? - 1\n: 2", "line 1, column 3: a key must be text"},
      Case{"~: 1", "line 1, column 1: a key must be text"},
      Case{": 1", "line 1, column 1: a key must be text"},
      Case{"a: &x 1\n*x : 2", "line 2, column 1: a key must be text, not an alias"},
      Case{"<<: {}", "line 1, column 1: merge keys (<<) are not part of YAML 1.2"},
      Case{"a: \x01", "line 1, column 4: the control character \"\\x01\" is not allowed"},
      Case{"a: \x04 b", "line 1, column 4: the control character \"\\x04\" is not allowed"},
      Case{"a\rb", "line 1, column 2: the control character \"\\x0d\" is not allowed"},
      Case{std::string_view{"a\0b", 3}, "line 1, column 2: the control character \"\\x00\" is not allowed"},
      Case{"\u00e9: \xff", "line 1, column 4: malformed UTF-8"},
      Case{"\xFF\xFE"
           "a",
           "line 1, column 1: malformed UTF-8"}};

  for (const auto& [text, result] : cases) EXPECT_EQ(read(text), result) << text;
}

TEST(Yaml, an_error_has_the_byte_offset_of_the_fault_and_a_hint) {
  const auto document = parse_yaml("\xEF\xBB\xBF\u00e9: 1\n@x: 2\n");

  ASSERT_FALSE(document);
  EXPECT_EQ(document.error().rule, "invalid-yaml");
  EXPECT_EQ(document.error().position, 9U);
  EXPECT_EQ(document.error().hint, "put the text in quotes");
}

TEST(Yaml, a_key_that_appears_twice_breaks_a_rule_of_its_own) {
  EXPECT_EQ(parse_yaml("a: 1\na: 2").error().rule, "duplicate-key");
}

TEST(Yaml, an_alias_repeats_the_value_of_its_anchor) {
  constexpr std::array cases{Case{"a: &x [1, {b: 2}]\nc: *x", R"({"a":[1,{"b":2}],"c":[1,{"b":2}]})"},
                             Case{"- &x 1\n- *x\n- &x 2\n- *x", "[1,1,2,2]"},
                             Case{"&k a: 1\nb: *k", R"({"a":1,"b":"a"})"},
                             Case{"- &x\n- *x", "[null,null]"},
                             Case{"a: &x [1, *x]", "line 1, column 11: this alias is inside the value that it repeats"},
                             Case{"a: *x", "line 1, column 4: this alias has no anchor before it"}};

  for (const auto& [text, result] : cases) EXPECT_EQ(read(text), result) << text;
}

TEST(Yaml, aliases_cannot_blow_a_text_up) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
  for (int level = 1; level < 20; ++level) {
    text += fmt::format("a{0}: &a{0} [*a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}]\n", level, level - 1);
  }

  EXPECT_TRUE(read(text).ends_with("the aliases repeat more than 4194304 bytes")) << read(text);
}

TEST(Yaml, aliases_cannot_nest_deeper_than_a_text_can) {
  std::string text = "- &a0 [x]\n";
  for (int level = 1; level < 80; ++level) text += fmt::format("- &a{} [*a{}]\n", level, level - 1);

  EXPECT_EQ(read(text), "line 64, column 9: nesting deeper than 64");
}

TEST(Yaml, nesting_is_read_to_the_depth_allowed_and_no_deeper) {
  const auto flow = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  const auto block = [](std::size_t depth) { return repeated("- ", 2 * depth) + "x"; };

  EXPECT_TRUE(parse_yaml(flow(document_depth_max)));
  EXPECT_TRUE(parse_yaml(block(document_depth_max)));
  EXPECT_EQ(read(flow(document_depth_max + 1)), "line 1, column 65: nesting deeper than 64");
  EXPECT_EQ(read(block(document_depth_max + 1)), "line 1, column 129: nesting deeper than 64");
}

TEST(Yaml, a_text_beyond_the_largest_size_is_refused) {
  EXPECT_EQ(read(std::string(yaml_size_max + 1, ' ')), "the text has 262145 bytes, more than 262144");
}

TEST(Yaml, more_values_than_allowed_are_refused) {
  EXPECT_TRUE(read(repeated("- a\n", yaml_size_max)).ends_with("more than 50000 values"));
}

TEST(Yaml, hostile_texts_of_the_largest_size_end_in_an_error) {
  for (const std::string_view part :
       {"[",      "{",       "? ",      "- ",     "a: ",   "[a,", "{a: ", "{a,",       "!",  "&a ",
        "*a ",    "---\n",   "]",       ",",      ":",     "[{",  "{?",   "[? ",       "{:", "[:",
        "\"a\" ", "&a [*a,", "[\"a\":", "a: b\n", "'a': ", "@",   "\"",   "- - a\n  -"}) {
    const auto document = parse_yaml(repeated(part, yaml_size_max));
    ASSERT_FALSE(document) << part;
    EXPECT_LE(document.error().position, yaml_size_max);
    EXPECT_LT(document.error().message.size(), 300U);
  }
}

RC_GTEST_PROP(Yaml, no_text_leads_to_more_than_an_error, (const std::string& text)) {
  const auto document = parse_yaml(text);

  RC_ASSERT((document.has_value() || document.error().position <= text.size()));
}

RC_GTEST_PROP(Yaml, no_sequence_of_indicators_leads_to_more_than_an_error, ()) {
  const auto indicators = rc::gen::element<std::string>(
      "[", "]", "{", "}", ",", ":", ": ", "- ", "? ", "\n", "  ", "a", "b", "\"", "'", "|", ">", "&x ", "*x ", "!!str ",
      "! ", "#", " #", "---", "...", "%", "\\", "\t", "1", "~", "<<", "\r\n", "@", "\u00e9");
  std::string text;
  for (const auto& part : *rc::gen::container<std::vector<std::string>>(indicators)) text += part;

  const auto document = parse_yaml(text);

  RC_ASSERT((document.has_value() || document.error().position <= text.size()));
}

TEST(Yaml, a_text_that_begins_with_a_star_is_shown_in_quotes) {
  EXPECT_EQ(parse_yaml("cron: * 9 * * *  # daily\n").error().hint, R"(write "* 9 * * *")");
}

TEST(Yaml, a_text_that_is_too_large_is_told_where_it_may_go) {
  const auto document = parse_yaml(std::string(525 * 1024, ' '));

  ASSERT_FALSE(document);
  EXPECT_EQ(document.error().hint, "split it into several files; as JSON it may have 4194304 bytes");
}

/// Each document of a text as JSON, or the message of its error.
std::vector<std::string> read_all(std::string_view text) {
  std::vector<std::string> all;
  for (const auto& document : parse_yaml_documents(text))
    all.push_back(document ? json::serialize(document->root) : document.error().message);
  return all;
}

TEST(Yaml, several_documents_are_read_each_on_its_own) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(read_all("a: 1\n---\nb: 2\n"), (Texts{R"({"a":1})", R"({"b":2})"}));
  EXPECT_EQ(read_all("# first\n---\na: 1\n---\n# nothing\n---\nb: 2\n---\n"), (Texts{R"({"a":1})", R"({"b":2})"}));
  EXPECT_EQ(read_all("%YAML 1.2\n---\na: 1\n...\n---\nb: 2"), (Texts{R"({"a":1})", R"({"b":2})"}));
  EXPECT_EQ(read_all("a: 1\n---\nb: [\n---\nc: {\n---\nd: 4\n").size(), 4U);
  EXPECT_EQ(read_all("a: |\n  ---\n  x\n"), (Texts{R"({"a":"---\nx\n"})"}));
  EXPECT_EQ(read_all(""), (Texts{"null"}));
}

TEST(Yaml, faults_and_values_of_a_later_document_have_their_place_in_the_whole_text) {
  const auto documents = parse_yaml_documents("a: 1\n---\nb: *x\n---\nc: 3\n");

  ASSERT_EQ(documents.size(), 3U);
  EXPECT_EQ(documents[1].error().message, "line 3, column 4: this alias has no anchor before it");
  EXPECT_EQ(documents[2]->position("/c"), (Position{5, 4}));
}

}  // namespace
}  // namespace carillon
