#include "base/utf8.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace carillon {
namespace {

/// The encoding of a number by the bit pattern alone, whether or not it is a character.
std::string three_or_four_bytes(unsigned point) {
  if (point < 0x10000) {
    return {static_cast<char>(0xE0 | point >> 12), static_cast<char>(0x80 | (point >> 6 & 0x3F)),
            static_cast<char>(0x80 | (point & 0x3F))};
  }
  return {static_cast<char>(0xF0 | point >> 18), static_cast<char>(0x80 | (point >> 12 & 0x3F)),
          static_cast<char>(0x80 | (point >> 6 & 0x3F)), static_cast<char>(0x80 | (point & 0x3F))};
}

TEST(Utf8, every_number_of_three_or_four_bytes_is_a_character_or_not_as_unicode_says) {
  for (unsigned point = 0; point < 0x200000; ++point) {
    const bool is_overlong = point < 0x800;
    const bool is_surrogate = point >= 0xD800 && point <= 0xDFFF;
    const std::string text = three_or_four_bytes(point);

    const std::size_t expected = is_overlong || is_surrogate || point > 0x10FFFF ? 0 : text.size();

    ASSERT_EQ(utf8_length(text), expected) << point;
  }
}

TEST(Utf8, short_and_broken_sequences_have_their_length) {
  struct Case {
    std::string_view text;
    std::size_t length;
  };
  constexpr std::array cases{Case{"", 0},
                             Case{"a", 1},
                             Case{"\xC2\x80", 2},
                             Case{"\xDF\xBF", 2},
                             Case{"\x80", 0},
                             Case{"\xC0\x80", 0},
                             Case{"\xC1\xBF", 0},
                             Case{"\xC3", 0},
                             Case{"\xC3(", 0},
                             Case{"\xE2\x98", 0},
                             Case{"\xE2\x98(", 0},
                             Case{"\xF0\x9F\x98", 0},
                             Case{"\xF5\x80\x80\x80", 0},
                             Case{"\xFF", 0},
                             Case{"\xF0\x80\x80\x80", 0}};

  for (const auto& [text, length] : cases) EXPECT_EQ(utf8_length(text), length);
}

TEST(Utf8, the_first_malformed_byte_is_found) {
  EXPECT_EQ(find_malformed_utf8("caf\u00e9 \U0001F600"), std::nullopt);
  EXPECT_EQ(find_malformed_utf8("\u00e9\xFF"), 2U);
  EXPECT_EQ(find_malformed_utf8("ab\xC3"), 2U);
}

TEST(Utf8, the_first_malformed_byte_is_found_wherever_it_stands) {
  for (std::size_t place = 0; place < 40; ++place) {
    std::string text(40, 'x');
    text[place] = '\x80';
    EXPECT_EQ(find_malformed_utf8(text), place);
    EXPECT_EQ(find_malformed_utf8(std::string(place, 'x') + "\u00e9" + text), 2 * place + 2);
    EXPECT_EQ(find_malformed_utf8(std::string(place, 'x') + "\u00e9"), std::nullopt);
  }
}

TEST(Utf8, a_text_that_fits_is_not_shortened) {
  EXPECT_EQ(shortened("", 64), "");
  EXPECT_EQ(shortened(std::string(64, 'x'), 64), std::string(64, 'x'));
}

TEST(Utf8, a_long_text_is_cut_between_characters_and_says_how_much_is_missing) {
  std::string text;
  for (int i = 0; i < 1'000; ++i) text += "\U0001F600";

  const std::string cut = shortened(text, 100);

  EXPECT_LE(cut.size(), 100U);
  EXPECT_EQ(find_malformed_utf8(cut), std::nullopt);
  EXPECT_TRUE(cut.starts_with("\U0001F600"));
  EXPECT_TRUE(cut.ends_with("… (3948 bytes left out)")) << cut;
}

}  // namespace
}  // namespace carillon
