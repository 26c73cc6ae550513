#include "executors/pipeline/result_items.hpp"

#include "executors/pipeline/pipeline_runner.hpp"
#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace carillon::pipeline {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

ItemResult result_number(int number, std::string error = {}) {
  return {.input = {{"n", number}}, .output = {{"out", number * 2}}, .raw_text = {}, .error = std::move(error)};
}

std::vector<std::int64_t> indexes_of(const ItemPage& page) {
  std::vector<std::int64_t> indexes;
  for (const RunItem& item : page.items) indexes.push_back(item.index);
  return indexes;
}

struct ItemsOfARun : testing::Test {
  ItemsOfARun() {
    for (int i = 0; i < 5; ++i)
      EXPECT_TRUE(results.add(static_cast<std::size_t>(i), result_number(i, i % 2 == 1 ? "no answer" : ""),
                              {.usage = {.input_tokens = 10 + i}, .cost = 0.5}));
    std::filesystem::create_directories(folder.path() / "daily");
  }
  /// The same results, as the run leaves them in a file.
  [[nodiscard]] std::string write_file() {
    RunReport report{.pipeline = "p"};
    report.items = results;
    std::string text;
    EXPECT_TRUE(write_document({.package = {}, .run = "r-1", .journal = {}}, report,
                               [&](std::string_view bytes) { text += bytes; }));
    folder.write("daily/result.json", text);
    return text;
  }
  [[nodiscard]] Result<ItemPage> in_file(const ItemQuery& query) const {
    return items_in(folder.path(), "daily/result.json", query);
  }

  TemporaryFolder folder;
  ResultSpool results = ResultSpool::make(folder.path()).value();
};

TEST_F(ItemsOfARun, are_the_same_while_it_runs_and_in_its_result_file) {
  (void)write_file();

  const ItemPage while_it_runs = items_in(results, {}).value();
  const ItemPage in_the_file = in_file({}).value();

  EXPECT_THAT(indexes_of(in_the_file), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_EQ(in_the_file.items, while_it_runs.items);
  EXPECT_FALSE(in_the_file.next);
  EXPECT_EQ(in_the_file.items[1], (RunItem{.index = 1,
                                           .is_success = false,
                                           .input = R"({"n":1})",
                                           .output = R"({"out":2})",
                                           .error = "no answer",
                                           .input_tokens = 11,
                                           .cost = 0.5}));
}

TEST_F(ItemsOfARun, come_in_pages) {
  (void)write_file();

  for (const bool is_file : {false, true}) {
    std::vector<std::int64_t> seen;
    ItemQuery query{.count_max = 2};
    for (;;) {
      const ItemPage page = (is_file ? in_file(query) : items_in(results, query)).value();
      for (const RunItem& item : page.items) seen.push_back(item.index);
      if (!page.next) break;
      query.from = *page.next;
    }
    EXPECT_THAT(seen, ElementsAre(0, 1, 2, 3, 4)) << is_file;
  }
}

TEST_F(ItemsOfARun, go_on_in_the_file_when_the_run_ends_between_two_pages) {
  (void)write_file();

  const ItemPage first = items_in(results, {.count_max = 2}).value();
  const ItemPage second = in_file({.from = first.next.value()}).value();

  EXPECT_THAT(indexes_of(second), ElementsAre(2, 3, 4));
}

TEST_F(ItemsOfARun, are_chosen_by_what_became_of_them) {
  (void)write_file();

  EXPECT_THAT(indexes_of(items_in(results, {.choice = ItemChoice::failed}).value()), ElementsAre(1, 3));
  EXPECT_THAT(indexes_of(in_file({.choice = ItemChoice::failed}).value()), ElementsAre(1, 3));
  EXPECT_THAT(indexes_of(in_file({.choice = ItemChoice::succeeded}).value()), ElementsAre(0, 2, 4));
}

TEST_F(ItemsOfARun, fill_no_page_with_more_bytes_than_it_may_have_but_for_the_first) {
  (void)write_file();

  const ItemPage page = in_file({.size_max = 1}).value();

  EXPECT_THAT(indexes_of(page), ElementsAre(0));
  EXPECT_EQ(page.next.value().index, 1);
}

TEST_F(ItemsOfARun, leave_out_what_has_no_result_yet) {
  const ResultSpool sparse = ResultSpool::make(folder.path()).value();
  EXPECT_TRUE(ResultSpool{sparse}.add(3, result_number(3)));

  EXPECT_THAT(indexes_of(items_in(sparse, {}).value()), ElementsAre(3));
  EXPECT_THAT(items_in(sparse, {.from = {.index = 4}}).value().items, IsEmpty());
}

TEST_F(ItemsOfARun, of_a_file_that_is_gone_are_not_found) { EXPECT_EQ(in_file({}).error().code, ErrorCode::not_found); }

TEST_F(ItemsOfARun, of_a_file_that_somebody_has_changed_are_refused) {
  const std::string text = write_file();

  for (const std::string& changed : {std::string{}, std::string{"{}\n"}, text.substr(0, text.size() - 4), "x\n" + text,
                                     text.substr(0, text.find("\"n\":0")) + "," + text.substr(text.find("\"n\":0"))}) {
    folder.write("daily/result.json", changed);
    EXPECT_EQ(in_file({}).error().code, ErrorCode::corrupt) << changed;
  }
}

TEST_F(ItemsOfARun, from_a_place_that_is_no_item_are_refused) {
  const std::string text = write_file();

  for (const std::int64_t offset :
       {std::int64_t{1}, static_cast<std::int64_t>(text.find("\"n\":2")), static_cast<std::int64_t>(text.size() + 10)})
    EXPECT_EQ(in_file({.from = {.index = 2, .offset = offset}}).error().code, ErrorCode::invalid_argument) << offset;
}

TEST_F(ItemsOfARun, outside_of_the_folder_are_not_read) {
  (void)write_file();

  EXPECT_FALSE(items_in(folder.path() / "daily", "../daily/../../etc/passwd", {}));
}

}  // namespace
}  // namespace carillon::pipeline
