#include "document/reader.hpp"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <array>

namespace carillon {
namespace {

using namespace std::string_view_literals;

TEST(NearestWord, a_slip_of_the_keyboard_finds_the_word_that_was_meant) {
  constexpr std::array words{"cron"sv, "calendars"sv, "intervals"sv, "timezone"sv, "startAt"sv, "dst"sv};
  struct Case {
    std::string_view text;
    std::string_view nearest;
  };
  constexpr std::array cases{Case{"cron", "cron"},
                             Case{"crno", "cron"},
                             Case{"corn", "cron"},
                             Case{"CRON", "cron"},
                             Case{"crons", "cron"},
                             Case{"calender", "calendars"},
                             Case{"interval", "intervals"},
                             Case{"time_zone", "timezone"},
                             Case{"startat", "startAt"},
                             Case{"start_at", "startAt"},
                             Case{"ds", "dst"},
                             Case{"dts", "dst"},
                             Case{"xyz", ""},
                             Case{"", ""},
                             Case{"tz", ""},
                             Case{"completely different", ""}};

  for (const auto& [text, nearest] : cases) EXPECT_EQ(nearest_word(text, words), nearest) << text;
}

TEST(NearestWord, of_equally_near_words_the_first_is_taken) {
  constexpr std::array words{"bat"sv, "cat"sv, "rat"sv};

  EXPECT_EQ(nearest_word("hat", words), "bat");
}

TEST(NearestWord, without_words_there_is_none) { EXPECT_EQ(nearest_word("cron", {}), ""); }

TEST(NearestWord, a_huge_text_is_near_to_nothing) {
  constexpr std::array words{"cron"sv};

  EXPECT_EQ(nearest_word(std::string(4'000'000, 'c'), words), "");
}

RC_GTEST_PROP(NearestWord, a_word_with_one_letter_lost_is_found_again, ()) {
  const auto letters = rc::gen::container<std::string>(8, rc::gen::inRange('a', 'z'));
  const std::string word = *letters;
  std::string text = word;
  text.erase(*rc::gen::inRange<std::size_t>(0, word.size()), 1);

  RC_ASSERT(nearest_word(text, std::array{std::string_view{word}}) == word);
}

}  // namespace
}  // namespace carillon
