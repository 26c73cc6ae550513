#include "pipeline/reduction.hpp"

#include <gtest/gtest.h>

#include <boost/json/array.hpp>

namespace carillon::pipeline {
namespace {

namespace json = boost::json;

std::string formatted(ReduceType type, const std::vector<ItemResult>& results) {
  Counts counts{.total = results.size(), .succeeded = 0};
  for (const ItemResult& result : results) counts.succeeded += result.is_success() ? 1 : 0;
  const EachResult each = [&](const std::function<void(const ItemResult&)>& use) {
    for (const ItemResult& result : results) use(result);
  };
  std::string text;
  format(type, each, counts, [&](std::string_view piece) { text += piece; });
  return text;
}

ItemResult ok(Item input, json::object output) {
  return {.input = std::move(input), .output = std::move(output), .raw_text = {}, .error = {}};
}
ItemResult bad(Item input, json::object output) {
  return {.input = std::move(input), .output = std::move(output), .raw_text = {}, .error = "boom"};
}
ItemResult said(std::string text) { return {.input = {}, .output = {}, .raw_text = std::move(text), .error = {}}; }

TEST(Reduction, numbers_maps_and_nulls_among_the_inputs_are_shown) {
  const std::vector results{ok({{"n", 5}, {"m", json::object{{"k", 1}}}, {"z", nullptr}}, {{"g", 1.5}})};

  EXPECT_EQ(
      formatted(ReduceType::list, results),
      "## Results (1 items)\n\n### Item 1\n**Input:** n=5, m={\"k\":1}, z=\n**Output:** g=1.5\n\n---\n**Stats:** 1 "
      "succeeded, 0 failed");
  EXPECT_EQ(formatted(ReduceType::table, results),
            "| # | [in] n | [in] m | [in] z | [out] g | Status |\n| --- | --- | --- | --- | --- | --- |\n| 1 | 5 | "
            "{\"k\":1} |  | 1.5 | OK |");
  EXPECT_EQ(formatted(ReduceType::csv, results), "n,m,z,out_g,success\n5,\"{\"\"k\"\":1}\",,1.5,true");
}

TEST(Reduction, columns_stand_in_the_order_in_which_they_are_seen) {
  EXPECT_EQ(formatted(ReduceType::csv, {ok({{"b", 1}}, {{"x", 1}}), bad({{"2024", 2}, {"b", 3}}, {{"x", nullptr}})}),
            "b,2024,out_x,success\n1,,1,true\n3,2,null,false");
}

TEST(Reduction, a_table_is_cut_by_characters_and_its_cells_stay_cells) {
  EXPECT_EQ(formatted(ReduceType::table, {bad({{"t|u", std::string(2, '|') + "\nä"}}, {{"g", nullptr}}),
                                          ok({{"t|u", "öööööööööööööööööööööö"}}, {{"g", json::array{1, 2}}})}),
            "| # | [in] t\\|u | [out] g | Status |\n| --- | --- | --- | --- |\n| 1 | \\|\\|<br>ä | null | FAIL |\n"
            "| 2 | ööööööööööööööööö... | [2 items] | OK |");
}

TEST(Reduction, texts_are_joined_and_failed_ones_left_out) {
  EXPECT_EQ(formatted(ReduceType::text, {bad({}, {}), said("one\n"), said("two")}),
            "--- Item 1 ---\none\n\n\n--- Item 2 ---\ntwo");
  EXPECT_EQ(formatted(ReduceType::text, {bad({}, {}), said("one")}), "one");
  EXPECT_EQ(formatted(ReduceType::text, {ok({}, {{"g", 1}})}), "{\n  \"g\": 1\n}");
  EXPECT_EQ(formatted(ReduceType::text, {bad({}, {})}), "No successful results.");
}

TEST(Reduction, no_results_have_a_form_too) {
  EXPECT_EQ(formatted(ReduceType::table, {}), "No results to display.");
  EXPECT_EQ(formatted(ReduceType::json, {}), "[]");
  EXPECT_EQ(formatted(ReduceType::csv, {}), "");
}

TEST(Verdict, failed_items_fail_a_run_unless_they_are_tolerated) {
  const Counts counts{.total = 40, .succeeded = 38};
  EXPECT_EQ(error_of(counts, {}, {"x"}), "2 items failed: x");
  EXPECT_EQ(error_of(counts, {}, {"x", "y"}), "2 items failed with 2 different errors");
  EXPECT_EQ(error_of(counts, {.count = 1, .percent = {}}, {"x"}), "2 items failed: x");
  EXPECT_EQ(error_of(counts, {.count = 2, .percent = {}}, {"x"}), std::nullopt);
  EXPECT_EQ(error_of(counts, {.count = 0, .percent = 5}, {"x"}), std::nullopt);
  EXPECT_EQ(error_of(counts, {.count = 0, .percent = 4.9}, {"x"}), "2 items failed: x");
  EXPECT_EQ(error_of({.total = 1, .succeeded = 0}, {}, {"x"}), "1 item failed: x");
}

}  // namespace
}  // namespace carillon::pipeline
