#include "pipeline/prompt_template.hpp"

#include <gmock/gmock.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace carillon::pipeline {
namespace {

using testing::ElementsAre;

std::optional<std::string> named_a(std::string_view name) {
  return name == "a" ? std::optional<std::string>{"{{a}}$&"} : std::nullopt;
}

TEST(PromptTemplate, only_words_in_double_braces_are_placeholders) {
  for (const char* text : {"{{ a }}", "{{a.b}}", "{{a-b}}", "{{}}", "{a}", "{{a}", "{{ä}}"})
    EXPECT_EQ(fill(text, named_a, Unknown::becomes_empty), text);
}

TEST(PromptTemplate, inserted_text_is_never_read_again) {
  EXPECT_EQ(fill("{{a}}|{{{a}}}", named_a, Unknown::becomes_empty), "{{a}}$&|{{{a}}$&}");
}

TEST(PromptTemplate, unknown_names_become_empty_or_stay) {
  EXPECT_EQ(fill("[{{b}}]", named_a, Unknown::becomes_empty), "[]");
  EXPECT_EQ(fill("[{{b}}]", named_a, Unknown::stays), "[{{b}}]");
}

TEST(PromptTemplate, names_are_listed_once_in_their_order) {
  EXPECT_THAT(placeholders("{{b}}{{a}}{{b}}{{ c }}{{COUNT}}"), ElementsAre("b", "a", "COUNT"));
}

TEST(PromptTemplate, values_are_written_as_people_expect_them) {
  EXPECT_EQ(prompt_text(nullptr), "");
  EXPECT_EQ(prompt_text(1.5), "1.5");
  EXPECT_EQ(prompt_text(true), "true");
  EXPECT_EQ(prompt_text(boost::json::array{1, "x"}), "[1,\"x\"]");
  EXPECT_EQ(prompt_text(boost::json::object{{"k", "ä"}}), "{\"k\":\"ä\"}");
}

TEST(PromptTemplate, a_hostile_text_takes_linear_time) {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += "{{x" + std::to_string(i);
  EXPECT_EQ(fill(text, named_a, Unknown::becomes_empty).size(), text.size());
}

}  // namespace
}  // namespace carillon::pipeline
