#include "base/quoted.hpp"

#include "base/utf8.hpp"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <array>

namespace carillon {
namespace {

TEST(Quoted, any_bytes_become_one_line_of_utf8) {
  struct Case {
    std::string_view text;
    std::string_view shown;
  };
  constexpr std::array cases{Case{"", "\"\""},
                             Case{"plain", "\"plain\""},
                             Case{"caf\u00e9 \u2603", "\"caf\u00e9 \u2603\""},
                             Case{"a\nb\tc", "\"a\\nb\\tc\""},
                             Case{"\x1b[31m\x7f", "\"\\x1b[31m\\x7f\""},
                             Case{"\u0085", "\"\\xc2\\x85\""},
                             Case{"\xff\xc3", "\"\\xff\\xc3\""}};

  for (const auto& [text, shown] : cases) EXPECT_EQ(carillon::quoted(text), shown);
}

TEST(Quoted, a_long_text_is_cut_between_two_characters) {
  std::string text;
  std::string expected = "\"";
  for (std::size_t i = 0; i < 100; ++i) text += "\u00e9";
  for (std::size_t i = 0; i < quoted_length_max; ++i) expected += "\u00e9";

  EXPECT_EQ(carillon::quoted(text), expected + "\u2026\"");
}

TEST(Quoted, a_text_of_the_longest_length_is_shown_whole) {
  const std::string text(quoted_length_max, 'x');

  EXPECT_EQ(carillon::quoted(text), '"' + text + '"');
}

RC_GTEST_PROP(Quoted, what_is_shown_is_well_formed_utf8_without_control_characters, (const std::string& text)) {
  const std::string shown = carillon::quoted(text);

  RC_ASSERT(!find_malformed_utf8(shown).has_value());
  for (const char c : shown) RC_ASSERT(static_cast<unsigned char>(c) >= 0x20);
}

}  // namespace
}  // namespace carillon
