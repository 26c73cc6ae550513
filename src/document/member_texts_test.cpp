#include "document/member_texts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace carillon {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> written(std::string_view text) {
  std::vector<std::string> parts;
  const auto members = member_texts(text);
  if (!members) return {"none"};
  for (const MemberText& member : *members)
    parts.push_back(std::string{member.key} + " = " + std::string{member.value});
  return parts;
}

TEST(MemberTexts, are_the_outer_ones_alone_as_they_were_written) {
  EXPECT_THAT(written(R"({"a":1,"b":{"a":2,"c":[{"a":"}"}]},"c":"x\"],{","d":[1.50, 2e3] , "e" : null})"),
              ElementsAre("a = 1", R"(b = {"a":2,"c":[{"a":"}"}]})", R"(c = "x\"],{")", "d = [1.50, 2e3]", "e = null"));
  EXPECT_THAT(written(R"({"a\"b":"\\"})"), ElementsAre(R"(a\"b = "\\")"));
  EXPECT_THAT(written(" { } "), ElementsAre());
}

TEST(MemberTexts, one_is_found_by_its_key_among_the_outer_ones) {
  constexpr std::string_view text = R"({"a": {"b": 1}, "c": "}\"b\":2", "b" : [3, {"b": 4}] ,"d":5})";

  EXPECT_EQ(find_member(text, "b"), R"([3, {"b": 4}])");
  EXPECT_EQ(find_member(text, "d"), "5");
  EXPECT_EQ(find_member(text, "e"), std::nullopt);
  EXPECT_EQ(find_member("{}", "a"), std::nullopt);
  EXPECT_EQ(find_member("[1]", "a"), std::nullopt);
}

TEST(MemberTexts, need_one_whole_object) {
  for (const std::string_view text : {"", "1", "[1]", "{", R"({"a")", R"({"a":)", R"({"a":1)", R"({"a":1,})",
                                      R"({"a":"x)", R"({"a":[1})", R"({"a":1}})", R"({a:1})", R"({"a" 1})", "{,}"})
    EXPECT_THAT(written(text), ElementsAre("none")) << text;
}

}  // namespace
}  // namespace carillon
