#include "definitions/words.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace carillon {
namespace {

/// How the compiler spells a value: the name of an enumerator, or a number in brackets where there is none.
template <auto Value>
std::string_view spelled() {
  const std::string_view text = __PRETTY_FUNCTION__;
  const std::size_t begin = text.find("Value = ") + 8;
  const std::string_view value = text.substr(begin, text.find_first_of(";]", begin) - begin);
  return value.starts_with('(') ? std::string_view{} : value.substr(value.rfind(':') + 1);
}

template <typename Enum, std::size_t... Indices>
std::vector<std::string_view> names_of(std::index_sequence<Indices...>) {
  return {spelled<static_cast<Enum>(Indices)>()...};
}

template <typename Enum, std::size_t Count>
void expect_one_word_for_each_enumerator() {
  const auto words = words_of<Enum>();

  EXPECT_EQ(std::vector(words.begin(), words.end()), names_of<Enum>(std::make_index_sequence<Count>{}));
  EXPECT_EQ(spelled<static_cast<Enum>(Count)>(), "") << "an enumerator has no word";
}

TEST(Words, every_enumerator_is_spelled_as_its_word) {
  expect_one_word_for_each_enumerator<OverlapPolicy, 7>();
  expect_one_word_for_each_enumerator<CatchupPolicy, 3>();
  expect_one_word_for_each_enumerator<Backoff, 3>();
  expect_one_word_for_each_enumerator<PauseMissed, 2>();
  expect_one_word_for_each_enumerator<ScheduleStatus, 5>();
  expect_one_word_for_each_enumerator<Activity, 3>();
  expect_one_word_for_each_enumerator<RunState, 10>();
  expect_one_word_for_each_enumerator<AttemptState, 8>();
  expect_one_word_for_each_enumerator<SkipReason, 12>();
  expect_one_word_for_each_enumerator<OutageCause, 4>();
  expect_one_word_for_each_enumerator<Source, 6>();
  expect_one_word_for_each_enumerator<DecisionOutcome, 3>();
  expect_one_word_for_each_enumerator<ChangeKind, 8>();
  expect_one_word_for_each_enumerator<OnOwnerLoss, 2>();
  expect_one_word_for_each_enumerator<BackfillState, 4>();
  expect_one_word_for_each_enumerator<BackfillOrder, 2>();
  expect_one_word_for_each_enumerator<Reprocess, 3>();
}

TEST(Words, a_word_reads_back_as_its_enumerator) {
  for (std::size_t i = 0; i < words_of<SkipReason>().size(); ++i) {
    const auto reason = static_cast<SkipReason>(i);
    EXPECT_EQ(parse_word<SkipReason>(to_text(reason)), reason);
  }
}

TEST(Words, another_spelling_is_no_word) {
  EXPECT_EQ(parse_word<RunState>("Running"), std::nullopt);
  EXPECT_EQ(parse_word<RunState>("timed-out"), std::nullopt);
  EXPECT_EQ(parse_word<RunState>(""), std::nullopt);
}

TEST(Words, the_list_of_all_enums_has_each_once) {
  std::set<std::string_view> names;
  for (const WordList& list : all_words()) {
    EXPECT_FALSE(list.words.empty()) << list.name;
    EXPECT_TRUE(names.insert(list.name).second) << list.name;
  }
}

TEST(Words, what_has_ended_is_terminal) {
  EXPECT_TRUE(is_terminal(RunState::succeeded) && is_terminal(RunState::expired) && is_terminal(RunState::lost));
  EXPECT_FALSE(is_terminal(RunState::waiting) || is_terminal(RunState::running) || is_terminal(RunState::retrying));
  EXPECT_TRUE(is_terminal(AttemptState::succeeded) && is_terminal(AttemptState::released));
  EXPECT_FALSE(is_terminal(AttemptState::claimed) || is_terminal(AttemptState::launched));
}

}  // namespace
}  // namespace carillon
