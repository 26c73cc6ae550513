#include "executors/http/templates.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace carillon {
namespace {

namespace json = boost::json;
using testing::HasSubstr;

constexpr std::size_t plenty = 1'000'000;

const TextMap values{{"runId", "r-1"}, {"payload", R"({"x":"{{runId}}"})"}, {"source", "{{7*7}} \"quoted\"\n"}};

TEST(Templates, are_replaced_by_the_values_of_their_names) {
  EXPECT_EQ(expand("run {{runId}} and {{ runId }}.", values, plenty), "run r-1 and r-1.");
  EXPECT_EQ(expand("", values, plenty), "");
  EXPECT_EQ(expand("{{runId}}{{runId}}", values, plenty), "r-1r-1");
}

TEST(Templates, are_not_looked_for_in_values) {
  EXPECT_EQ(expand("{{payload}}", values, plenty), R"({"x":"{{runId}}"})");
  EXPECT_EQ(expand("{{source}}", values, plenty), "{{7*7}} \"quoted\"\n");
}

TEST(Templates, leave_braces_alone_that_are_no_template) {
  for (const std::string_view text : {"{", "{{", "}}", R"({"a":{"b":1}})", "{{runId}", "{ {runId}}", "a {{ b"})
    EXPECT_EQ(expand(text, values, plenty), text);
}

TEST(Templates, with_an_unknown_name_are_an_error_that_names_it) {
  for (const std::string_view name : {"secret.x", "7*7", "env", "", "payload.x", "RunId"}) {
    const auto text = expand("a {{" + std::string{name} + "}} b", values, plenty);
    ASSERT_FALSE(text) << name;
    EXPECT_EQ(text.error().rule, "unknown-template-name");
    EXPECT_THAT(text.error().message, HasSubstr("\"" + std::string{name} + "\""));
    EXPECT_EQ(text.error().hint, "use one of: payload, runId, source");
  }
}

TEST(Templates, with_a_million_braces_end_in_a_short_error) {
  const auto text = expand(std::string(1'000'000, '{') + std::string(1'000'000, '}'), values, 2 * plenty);

  ASSERT_FALSE(text);
  EXPECT_LT(text.error().message.size(), 200U);
}

TEST(Templates, do_not_grow_beyond_the_bound) {
  std::string many;
  for (int i = 0; i < 10'000; ++i) many += "{{payload}}";

  const auto text = expand(many, values, 1'000);

  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().message, "the body is larger than 1000 bytes");
  EXPECT_TRUE(expand("{{runId}}", values, 3));
  EXPECT_FALSE(expand("{{runId}}", values, 2));
}

TEST(Templates, inside_a_tree_become_text_of_its_texts) {
  const json::value tree = json::parse(R"({"{{runId}}":["{{source}}",1,null,true,{"p":"{{payload}}"}]})");

  const auto expanded = expand_tree(tree, values, plenty);

  EXPECT_EQ(json::serialize(*expanded),
            R"({"{{runId}}":["{{7*7}} \"quoted\"\n",1,null,true,{"p":"{\"x\":\"{{runId}}\"}"}]})");
}

TEST(Templates, of_one_tree_share_the_bound) {
  const json::value tree = json::parse(R"(["{{runId}}","{{runId}}"])");

  EXPECT_TRUE(expand_tree(tree, values, 6));
  EXPECT_FALSE(expand_tree(tree, values, 5));
}

TEST(Templates, in_a_tree_without_bottom_are_an_error) {
  json::value tree = "x";
  for (int i = 0; i < 100; ++i) tree = json::array{std::move(tree)};

  EXPECT_FALSE(expand_tree(tree, values, plenty));
}

}  // namespace
}  // namespace carillon
