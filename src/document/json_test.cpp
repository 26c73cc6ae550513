#include "document/document.hpp"

#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/monotonic_resource.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <rapidcheck/gtest.h>

#include <array>
#include <string>

namespace carillon {
namespace {

namespace json = boost::json;

std::string repeated(std::string_view part, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += part;
  return text;
}

TEST(Json, a_text_becomes_a_tree_with_its_keys_in_order) {
  const auto root = parse_json(R"( {"z": [1, -2.5, true, null, "\u00e9\n"], "a": {}} )");

  ASSERT_TRUE(root) << root.error().message;
  EXPECT_EQ(json::serialize(*root), "{\"z\":[1,-2.5E0,true,null,\"\u00e9\\n\"],\"a\":{}}");
}

TEST(Json, what_is_no_json_is_refused_where_the_fault_is) {
  struct Case {
    std::string_view text;
    std::size_t position;
    std::string_view message;
  };
  constexpr std::array cases{
      Case{"", 0, "line 1, column 1: the text ends too early"},
      Case{"{", 1, "line 1, column 2: the text ends too early"},
      Case{"nul", 3, "line 1, column 4: the text ends too early"},
      Case{"[1,\n 2", 6, "line 2, column 3: the text ends too early"},
      Case{"{a: 1}", 1, "line 1, column 2: unexpected \"a\""},
      Case{"[1 2]", 3, "line 1, column 4: unexpected \"2\""},
      Case{"[1,]", 3, "line 1, column 4: unexpected \"]\""},
      Case{"{\n  \"\u00e9\": 1,\n  \"x\": \u00fc}", 20, "line 3, column 8: unexpected \"\u00fc\""},
      Case{"[1] x", 4, "line 1, column 5: \"x\" after the end"},
      Case{"01", 1, "line 1, column 2: \"1\" after the end"},
      Case{"'a'", 0, "line 1, column 1: unexpected \"'\""},
      Case{"// c\n1", 0, "line 1, column 1: unexpected \"/\""},
      Case{"NaN", 0, "line 1, column 1: unexpected \"N\""},
      Case{"\"a\nb\"", 2, "line 1, column 3: unexpected \"\\n\""},
      Case{"\"\xff\"", 1, "line 1, column 2: malformed UTF-8"},
      Case{std::string_view{"[\0]", 3}, 1, "line 1, column 2: unexpected \"\\x00\""},
      Case{"[1e400]", 1, "line 1, column 2: the number \"1e400\" does not fit a double"},
      Case{"\xEF\xBB\xBF[x]", 4, "line 1, column 2: unexpected \"x\""},
  };

  for (const auto& [text, position, message] : cases) {
    const auto root = parse_json(text);
    ASSERT_FALSE(root) << text;
    EXPECT_EQ(root.error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(root.error().rule, "invalid-json");
    EXPECT_EQ(root.error().position, position) << text;
    EXPECT_EQ(root.error().message, message);
  }
}

TEST(Json, a_key_that_appears_twice_is_refused_where_it_appears_again) {
  struct Case {
    std::string_view text;
    std::size_t position;
  };
  constexpr std::array cases{Case{R"({"a": 1, "a": 2})", 9}, Case{R"([{"b": {"a": [], "c": 0, "a": []}}])", 25},
                             Case{R"({"a": 1, "\u0061": 2})", 9}, Case{R"({"\"": ",", "x": "{", "\"": 2})", 22},
                             Case{"\xEF\xBB\xBF{\"\": 1, \"\": 2}", 11}};

  for (const auto& [text, position] : cases) {
    const auto root = parse_json(text);
    ASSERT_FALSE(root) << text;
    EXPECT_EQ(root.error().rule, "duplicate-key");
    EXPECT_EQ(root.error().position, position) << text;
  }
}

TEST(Json, equal_keys_of_different_objects_are_no_duplicates) {
  EXPECT_TRUE(parse_json(R"([{"a": {"a": "a"}}, {"a": 1, "A": 2}])"));
}

TEST(Json, numbers_keep_their_kind_and_their_last_bit) {
  EXPECT_EQ(*parse_json("9223372036854775807"), json::value(INT64_MAX));
  EXPECT_EQ(*parse_json("18446744073709551615"), json::value(UINT64_MAX));
  EXPECT_EQ(*parse_json("0.1"), json::value(0.1));
  EXPECT_EQ(*parse_json("2.2250738585072011e-308"), json::value(2.2250738585072011e-308));
  EXPECT_EQ(*parse_json("99999999999999999999"), json::value(1e20));
  EXPECT_TRUE(parse_json("-0")->is_int64());
  EXPECT_TRUE(parse_json("1.0")->is_double());
}

TEST(Json, a_byte_order_mark_is_skipped) { EXPECT_EQ(*parse_json("\xEF\xBB\xBF[]"), json::value(json::array{})); }

TEST(Json, nesting_is_read_to_the_depth_allowed_and_no_deeper) {
  const auto nested = [](std::size_t depth) { return repeated("[", depth) + repeated("]", depth); };

  EXPECT_TRUE(parse_json(nested(document_depth_max)));
  EXPECT_EQ(parse_json(nested(document_depth_max + 1)).error().message, "line 1, column 65: nesting deeper than 64");
  EXPECT_FALSE(parse_json(repeated("[", document_size_max)));
  EXPECT_FALSE(parse_json(repeated("{\"a\":", document_size_max / 5)));
}

TEST(Json, a_text_beyond_the_largest_size_is_refused) {
  EXPECT_TRUE(parse_json(repeated(" ", document_size_max - 1) + "1"));

  const auto root = parse_json(repeated(" ", document_size_max) + "1");

  ASSERT_FALSE(root);
  EXPECT_EQ(root.error().message, "the text has 4194305 bytes, more than 4194304");
}

TEST(Json, the_tree_lives_in_the_storage_given) {
  json::monotonic_resource memory;

  const auto root = parse_json(R"({"a": [1, "a text that is too long to be kept in place"]})", &memory);

  ASSERT_TRUE(root);
  EXPECT_EQ(root->storage().get(), &memory);
  EXPECT_EQ(root->at("a").storage().get(), &memory);
}

RC_GTEST_PROP(Json, no_text_leads_to_more_than_an_error, (const std::string& text)) {
  const auto root = parse_json(text);

  RC_ASSERT((root.has_value() || root.error().position <= text.size()));
}

}  // namespace
}  // namespace carillon
