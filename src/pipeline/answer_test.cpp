#include "pipeline/answer.hpp"

#include "pipeline/json_text.hpp"

#include <gtest/gtest.h>

namespace carillon::pipeline {
namespace {

const std::vector<std::string> fields{"a", "b"};

std::string strict(std::string_view answer) {
  const auto output = read_answer(answer, fields, false);
  return output ? compact(*output) : output.error().message;
}

std::string lenient(std::string_view answer) {
  const auto output = read_answer(answer, fields, true);
  return output ? compact(*output) : output.error().message;
}

TEST(Answer, the_first_block_that_looks_like_json_counts) {
  EXPECT_EQ(strict("{\"a\":0} ```js\n[{\"a\":1}]\n``` ```json\n{\"a\":2}\n```"), R"({"a":2,"b":null})");
  EXPECT_EQ(strict("```\ntext\n``` {\"a\":3}"), R"({"a":3,"b":null})");
  EXPECT_EQ(strict("```json\n{\"a\":1,,}\n```"), "Invalid JSON in AI response: {\"a\":1,,}...");
  EXPECT_EQ(strict("```json\n{\"a\":1"), "No JSON found in AI response");
}

TEST(Answer, the_bracket_that_comes_first_decides) {
  EXPECT_EQ(strict("see [1] and {\"a\":1}"), "AI returned array instead of object");
  EXPECT_EQ(strict("see [x and {\"a\":1}"), R"({"a":1,"b":null})");
  EXPECT_EQ(strict("x {\"a\":1} y {\"b\":2} z"), R"({"a":null,"b":2})");
  EXPECT_EQ(strict("{oops} {\"a\":\"{}\"}"), R"({"a":"{}","b":null})");
  EXPECT_EQ(strict("{oops} {\"a\":\"}\"}"), "No JSON found in AI response");
}

TEST(Answer, small_faults_are_repaired) {
  EXPECT_EQ(strict("{'a': 'x', b : [1,2,], }"), R"({"a":"x","b":[1,2]})");
  EXPECT_EQ(strict("{\"a\":\"x\"\n  \"b\":\"y\"}"), R"({"a":"x","b":"y"})");
  EXPECT_EQ(strict("{\"a\":\"it's\",}"), "Invalid JSON in AI response: {\"a\":\"it's\",}...");
}

TEST(Answer, lines_of_names_and_values_are_fields) {
  EXPECT_EQ(strict("Here you are\n  A: high,\nb = 'x y'\n- c"), R"({"a":"high","b":"x y"})");
  EXPECT_EQ(lenient("a: yes;\nb - 007"), R"({"a":true,"b":7})");
}

TEST(Answer, texts_are_converted_only_when_asked_to) {
  EXPECT_EQ(strict(R"({"a":" YES ","b":"-1.50"})"), R"({"a":" YES ","b":"-1.50"})");
  EXPECT_EQ(lenient(R"({"a":" YES ","b":"-1.50"})"), R"({"a":true,"b":-1.5})");
  EXPECT_EQ(lenient(R"({"a":"N/A","b":"5."})"), R"({"a":null,"b":5})");
  EXPECT_EQ(lenient(R"({"a":"1.2.3","b":["no"]})"), R"({"a":"1.2.3","b":["no"]})");
}

TEST(Answer, prose_is_guessed_from_only_when_asked_to) {
  EXPECT_EQ(strict("I think a is high and b is low."), "No JSON found in AI response");
  EXPECT_EQ(lenient("I'd say **a**: `High`, b is low."), R"({"a":"High","b":"low"})");
  EXPECT_EQ(lenient("say a = \"x, y\" there"), R"({"a":"x, y","b":null})");
}

TEST(Answer, names_of_fields_are_no_patterns) {
  const std::vector<std::string> odd{"a(b", "*"};
  EXPECT_EQ(compact(read_answer("so a(b is 5 indeed.", odd, true).value()), R"({"a(b":"5 indeed","*":null})");
}

TEST(Answer, a_batch_needs_as_many_objects_as_items) {
  const auto outputs = read_batch_answer("ok [{\"a\":\"1\",\"A\":2}, 5, [1]]!", fields, 3);

  ASSERT_TRUE(outputs.has_value());
  EXPECT_EQ(compact((*outputs)[0].value()), R"({"a":"1","b":null})");
  EXPECT_EQ((*outputs)[1].error().message, "Result at index 1 is not an object");
  EXPECT_EQ(compact((*outputs)[2].value()), R"({"a":null,"b":null})");
  EXPECT_EQ(read_batch_answer("[]", fields, 1).error().message, "AI returned 0 results but batch has 1 items");
  EXPECT_EQ(read_batch_answer("none", fields, 1).error().message,
            "Failed to parse batch response: Response does not contain a JSON array");
  EXPECT_EQ(read_batch_answer("[1,]", fields, 1).error().message,
            "Failed to parse batch response: Unexpected token ']', \"[1,]\" is not valid JSON");
}

TEST(Answer, a_job_takes_fields_as_they_are) {
  EXPECT_EQ(compact(read_job_answer("x {\"a\":\"no\",\"B\":1} y", fields).value()), R"({"a":"no","b":null})");
  EXPECT_EQ(read_job_answer("[1]", fields).error().message, "Response does not contain a JSON object");
}

TEST(Answer, generated_items_have_all_fields_as_texts) {
  const auto items = read_generated_items("```json\n[{\"a\":1,\"x\":2},{\"b\":null}]\n```", fields);

  ASSERT_TRUE(items.has_value());
  EXPECT_EQ(compact(items->at(0)), R"({"a":"1","b":""})");
  EXPECT_EQ(compact(items->at(1)), R"({"a":"","b":""})");
  EXPECT_EQ(read_generated_items("{\"a\":1}", fields).error().message, "AI response is not an array. Got: object");
  EXPECT_EQ(read_generated_items("[5]", fields).error().message, "Item at index 0 is not an object. Got: number");
  EXPECT_EQ(read_generated_items("hm", fields).error().message,
            "AI response does not contain valid JSON. Expected a JSON array.");
}

TEST(Answer, deep_nesting_and_many_brackets_are_harmless) {
  EXPECT_FALSE(read_answer(std::string(200'000, '{'), fields, true).has_value());
  EXPECT_FALSE(read_answer(std::string(200'000, '[') + std::string(200'000, ']'), fields, true).has_value());
}

}  // namespace
}  // namespace carillon::pipeline
