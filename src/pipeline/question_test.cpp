#include "pipeline/question.hpp"

#include <gmock/gmock.h>

namespace carillon::pipeline {
namespace {

Map map_asking(std::string prompt, std::vector<std::string> output = {}) {
  Map map;
  map.asking.prompt.text = std::move(prompt);
  map.asking.output = std::move(output);
  return map;
}

AskingTexts texts_of(const Map& map) { return {.prompt = map.asking.prompt.text, .skill = {}}; }

TEST(Question, a_skill_stands_before_the_task) {
  Map map = map_asking("do {{x}}");
  map.asking.skill = "go-deep";

  const Question question = ask_about(map, {.prompt = "do {{x}}", .skill = "Think {{x}}."}, {{"x", "it"}}, {});

  EXPECT_EQ(question.prompt, "[Skill Guidance: go-deep]\nThink it.\n\n[Task]\ndo it");
}

TEST(Question, special_names_of_other_steps_are_empty_in_map_and_stay_in_filters_and_batches) {
  const Map map = map_asking("{{COUNT}}|{{nope}}|{{x}}");
  const AiFilter filter{.asking = map.asking, .parallel = 5};
  const Item item{{"x", 1}};

  EXPECT_EQ(ask_about(map, texts_of(map), item, {}).prompt, "||1");
  EXPECT_EQ(ask_filter(filter, texts_of(map), item).prompt, "{{COUNT}}||1");
  EXPECT_EQ(ask_about_batch(map, texts_of(map), std::vector{item}).prompt, "{{COUNT}}|{{nope}}|1");
}

TEST(Question, all_items_are_inserted_where_the_prompt_wants_them) {
  MapReduce work;
  work.map = map_asking("{{ITEMS}}");
  const std::vector<Item> all{{{"a", 1}}, {{"a", nullptr}}};

  EXPECT_TRUE(needs_all_items(work, texts_of(work.map)));
  EXPECT_EQ(ask_about(work.map, texts_of(work.map), all.front(), all).prompt,
            "[\n  {\n    \"a\": 1\n  },\n  {\n    \"a\": null\n  }\n]");
  work.map.batch_size = 2;
  EXPECT_FALSE(needs_all_items(work, texts_of(work.map)));
}

TEST(Question, generated_items_are_asked_for_by_example) {
  EXPECT_EQ(
      ask_for_items({.prompt = "Make two", .schema = {"a", "b"}, .model = "m", .provider = {}, .is_approved = true})
          .prompt,
      "Make two\n\nReturn a JSON array where each object has these fields: a, b\n\nExample format:\n[\n  {\n  "
      "\"a\": \"...\",\n  \"b\": \"...\"\n},\n  ...\n]\n\nIMPORTANT: Return ONLY the JSON array, no additional text "
      "or explanation.");
}

TEST(Question, a_job_without_parameters_is_asked_as_it_stands) {
  Job job;
  EXPECT_EQ(ask_job(job, {.prompt = "{{COUNT}} {{ x }}", .skill = {}})->prompt, "{{COUNT}} {{ x }}");
  EXPECT_EQ(ask_job(job, {.prompt = "{{x}}{{y}}", .skill = {}}).error().message,
            "Job prompt has missing required variables: x, y");
}

TEST(Question, parameters_lie_below_the_fields_and_come_first) {
  const std::vector<Parameter> parameters{{.name = "u", .value = "shared"}, {.name = "n", .value = 3}};

  const Item item = with_parameters({{"w", 1}, {"u", "own"}}, parameters);

  EXPECT_EQ(item, (Item{{"u", "own"}, {"n", 3}, {"w", 1}}));
  EXPECT_EQ(item.begin()->key(), "u");
}

TEST(Question, the_text_of_a_prompt_file_loses_front_matter_and_outer_space) {
  EXPECT_EQ(prompt_of_file("---\r\na: 1\r\n---\r\n\r\n x \r\n").value(), "x");
  EXPECT_EQ(prompt_of_file("\ufeffplain\n").value(), "plain");
  EXPECT_EQ(prompt_of_file("---\nno end\n").value(), "---\nno end");
  EXPECT_FALSE(prompt_of_file("---\na: 1\n---\n\n").has_value());
  EXPECT_FALSE(prompt_of_file("").has_value());
}

}  // namespace
}  // namespace carillon::pipeline
