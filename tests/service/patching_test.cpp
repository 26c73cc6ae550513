#include "document/document.hpp"
#include "service/merge_patch.hpp"
#include "service/patched_document.hpp"

#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace carillon {
namespace {

boost::json::value json(std::string_view text) { return parse_json(text).value(); }

// The examples of RFC 7396, appendix A.
TEST(MergePatch, does_what_the_standard_says) {
  const std::vector<std::array<std::string_view, 3>> rows{
      {R"({"a":"b"})", R"({"a":"c"})", R"({"a":"c"})"},
      {R"({"a":"b"})", R"({"b":"c"})", R"({"a":"b","b":"c"})"},
      {R"({"a":"b"})", R"({"a":null})", R"({})"},
      {R"({"a":"b","b":"c"})", R"({"a":null})", R"({"b":"c"})"},
      {R"({"a":["b"]})", R"({"a":"c"})", R"({"a":"c"})"},
      {R"({"a":"c"})", R"({"a":["b"]})", R"({"a":["b"]})"},
      {R"({"a":{"b":"c"}})", R"({"a":{"b":"d","c":null}})", R"({"a":{"b":"d"}})"},
      {R"({"a":[{"b":"c"}]})", R"({"a":[1]})", R"({"a":[1]})"},
      {R"(["a","b"])", R"(["c","d"])", R"(["c","d"])"},
      {R"({"a":"b"})", R"(["c"])", R"(["c"])"},
      {R"({"a":"foo"})", "null", "null"},
      {R"({"e":null})", R"({"a":1})", R"({"e":null,"a":1})"},
      {R"([1,2])", R"({"a":"b","c":null})", R"({"a":"b"})"},
      {R"({})", R"({"a":{"bb":{"ccc":null}}})", R"({"a":{"bb":{}}})"}};
  for (const auto& [target, patch, expected] : rows) {
    boost::json::value value = json(target);
    merge_patch(value, json(patch));
    EXPECT_EQ(value, json(expected)) << target << " + " << patch;
  }
}

std::string patched(std::string_view document, std::string_view patch) {
  const PatchedDocument result = patched_document(json(document), json(patch));
  EXPECT_TRUE(result.problems.empty());
  return boost::json::serialize(result.document);
}

constexpr std::string_view nightly =
    R"({"id":"n","spec":{"cron":["0 2 * * *"],"intervals":[],"timezone":"Europe/Berlin"},"action":{"command":{"argv":["a"]}}})";

TEST(PatchedDocument, takes_a_short_rule_for_all_of_the_schedule) {
  EXPECT_EQ(patched(nightly, R"({"every":"5m"})"),
            R"({"id":"n","spec":{"timezone":"Europe/Berlin","intervals":[{"every":"5m"}]},)"
            R"("action":{"command":{"argv":["a"]}}})");
  EXPECT_NE(patched(nightly, R"({"cronExpr":"0 5 * * *"})").find(R"("cron":"0 5 * * *")"), std::string::npos);
}

TEST(PatchedDocument, merges_a_canonical_rule_member_by_member) {
  EXPECT_EQ(patched(nightly, R"({"spec":{"intervals":[{"every":"5m"}]}})"),
            R"({"id":"n","spec":{"cron":["0 2 * * *"],"intervals":[{"every":"5m"}],"timezone":"Europe/Berlin"},)"
            R"("action":{"command":{"argv":["a"]}}})");
}

TEST(PatchedDocument, replaces_an_action_by_one_of_another_kind) {
  const std::string result = patched(nightly, R"({"action":{"http":{"url":"https://example.com/"}}})");

  EXPECT_EQ(result.find("command"), std::string::npos);
  EXPECT_NE(result.find("https://example.com/"), std::string::npos);
}

TEST(PatchedDocument, keeps_the_rest_of_an_action_of_the_same_kind) {
  EXPECT_NE(patched(nightly, R"({"action":{"command":{"cwd":"/tmp"}}})").find(R"("argv":["a"])"), std::string::npos);
}

TEST(PatchedDocument, says_what_is_said_twice) {
  const PatchedDocument twice = patched_document(json(nightly), json(R"({"every":"5m","intervalSeconds":60})"));

  ASSERT_EQ(twice.problems.size(), 1U);
  EXPECT_EQ(twice.problems.front().code, "conflict");
  EXPECT_FALSE(patched_document(json(nightly), json("[]")).problems.empty());
}

}  // namespace
}  // namespace carillon
