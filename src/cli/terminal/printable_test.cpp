#include "cli/terminal/printable.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace carillon::cli {
namespace {

TEST(Printable, leaves_ordinary_text_alone) { EXPECT_EQ(printable("At 09:00 → Zürich"), "At 09:00 → Zürich"); }

TEST(Printable, shows_what_would_disturb_a_terminal_as_escapes) {
  struct Case {
    std::string_view text;
    std::string_view expected;
  };
  const Case cases[] = {
      {"\x1b[2J", "\\x1b[2J"},
      {"a\nb\rc\td", "a\\nb\\rc\\td"},
      {std::string_view{"a\0b", 3}, "a\\x00b"},
      {"\x7f", "\\x7f"},
      {"\xc2\x9b"
       "1m",
       "\\u009b1m"},  // a control sequence in one character
      {"\xe2\x80\xae"
       "txt",
       "\\u202etxt"},                                // right-to-left override
      {"\xff\xfe", "\\xff\\xfe"},                    // no UTF-8
      {"\xc3", "\\xc3"},                             // cut off
      {"\xc0\xaf", "\\xc0\\xaf"},                    // longer than need be
      {"\xed\xa0\x80", "\\xed\\xa0\\x80"},           // half of a surrogate pair
      {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},  // beyond the last character
  };
  for (const Case& c : cases) EXPECT_EQ(printable(c.text), c.expected);
}

TEST(Printable, cuts_off_a_long_text) { EXPECT_EQ(printable("abcdef", 4), "abcd…"); }

TEST(Printable, counts_a_character_as_one_column) { EXPECT_EQ(column_count("⚠ ü→"), 4U); }

TEST(Excerpt, has_a_caret_under_the_position) { EXPECT_EQ(excerpt("0 25 * * *", 2), "0 25 * * *\n  ^"); }

TEST(Excerpt, has_the_caret_behind_the_text_when_something_is_missing) { EXPECT_EQ(excerpt("0 9", 3), "0 9\n   ^"); }

TEST(Excerpt, counts_columns_and_not_bytes) { EXPECT_EQ(excerpt("ü\t25", 3), "ü\\t25\n   ^"); }

TEST(Excerpt, shows_a_long_text_around_the_caret_only) {
  std::string text(2001, 'a');
  text[1000] = 'X';
  std::fill(text.begin() + 1001, text.end(), 'b');

  const std::string shown = excerpt(text, 1000);

  EXPECT_EQ(shown, "…" + std::string(40, 'a') + "X" + std::string(35, 'b') + "…\n" + std::string(41, ' ') + "^");
}

TEST(Excerpt, survives_a_position_outside_of_the_text) { EXPECT_EQ(excerpt("ab", 99), "ab\n  ^"); }

}  // namespace
}  // namespace carillon::cli
