#include "document/document.hpp"

#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>

#include <array>
#include <ostream>

namespace carillon {

void PrintTo(const Position& position, std::ostream* out) { *out << position.line << ':' << position.column; }

namespace {

struct Case {
  std::string_view pointer;
  Position position;
};

TEST(Document, the_name_of_the_file_tells_the_form) {
  EXPECT_TRUE(parse_document("a.json", "{\"a\": 1}"));
  EXPECT_FALSE(parse_document("a.json", "a: 1"));
  EXPECT_TRUE(parse_document("a.yaml", "a: 1"));
  EXPECT_TRUE(parse_document("a", "a: 1"));
}

TEST(Document, yaml_values_have_positions) {
  const auto document =
      parse_yaml("# spec\n\u00e9: {x: 1, y: [a, b]}\nlist:\n  - p\n  -\n  - q: ~\n    r/s: 2\nnone:\nlast: z\n");
  ASSERT_TRUE(document) << document.error().message;
  constexpr std::array cases{Case{"", {2, 1}},
                             Case{"/\u00e9", {2, 4}},
                             Case{"/\u00e9/x", {2, 8}},
                             Case{"/\u00e9/y/1", {2, 18}},
                             Case{"/list", {3, 1}},
                             Case{"/list/0", {4, 5}},
                             Case{"/list/2", {6, 5}},
                             Case{"/list/2/q", {6, 8}},
                             Case{"/list/2/r~1s", {7, 10}},
                             Case{"/none", {8, 1}},
                             Case{"/last", {9, 7}}};

  for (const auto& [pointer, position] : cases) EXPECT_EQ(document->position(pointer), position) << pointer;
}

TEST(Document, json_values_have_positions) {
  const auto document = parse_document("a.json",
                                       "\n{\"a\": [1, {\"b/c\":\n {}}],\n \"d\\\"]\": \"x\\\\\\\"\", \"\u00e9\": null, "
                                       "\"f\":-1.5e3, \"g\": [[], {}]}\n");
  ASSERT_TRUE(document) << document.error().message;
  constexpr std::array cases{Case{"", {2, 1}},         Case{"/a", {2, 7}},         Case{"/a/0", {2, 8}},
                             Case{"/a/1", {2, 11}},    Case{"/a/1/b~1c", {2, 12}}, Case{"/d\"]", {4, 10}},
                             Case{"/\u00e9", {4, 24}}, Case{"/f", {4, 34}},        Case{"/g", {4, 47}},
                             Case{"/g/0", {4, 48}},    Case{"/g/1", {4, 52}}};

  for (const auto& [pointer, position] : cases) EXPECT_EQ(document->position(pointer), position) << pointer;
}

TEST(Document, both_forms_agree_on_the_positions_of_json) {
  const std::string text = "{\"a\": [1, 2, {\"b\": \"c\"}],\n  \"d\": {\"e\": [], \"f\": null}}";

  EXPECT_EQ(parse_document("a.json", text)->positions, parse_document("a.yaml", text)->positions);
}

TEST(Document, a_value_without_position_has_that_of_its_nearest_ancestor) {
  const auto document = parse_yaml("a:\n  b: 1\n");

  EXPECT_EQ(document->position("/a/b/c/d"), (Position{2, 6}));
  EXPECT_EQ(document->position("/x/y"), (Position{1, 1}));
  EXPECT_EQ(document->position("no pointer"), (Position{1, 1}));
}

TEST(Document, a_document_without_positions_has_none_to_give) {
  EXPECT_EQ(Document{}.position("/a"), (Position{0, 0}));
}

TEST(Document, a_huge_text_has_positions_for_its_first_values_only) {
  std::string text = "[[[0]]";
  for (std::size_t i = 0; i < 2 * position_count_max; ++i) text += ",{\"a\":[]}";
  text += "]";

  const auto document = parse_document("a.json", text);

  ASSERT_TRUE(document);
  EXPECT_EQ(document->positions.size(), position_count_max);
  EXPECT_EQ(document->position("/1/a"), (Position{1, 13}));
  EXPECT_EQ(document->position("/99999/a"), (Position{1, 1}));
}

TEST(Document, an_offset_is_a_line_and_a_character) {
  struct OffsetCase {
    std::string_view text;
    std::size_t offset;
    Position position;
  };
  constexpr std::array cases{OffsetCase{"", 0, {1, 1}},
                             OffsetCase{"abc", 0, {1, 1}},
                             OffsetCase{"abc", 2, {1, 3}},
                             OffsetCase{"abc", 3, {1, 4}},
                             OffsetCase{"abc", 99, {1, 4}},
                             OffsetCase{"a\nb", 1, {1, 2}},
                             OffsetCase{"a\nb", 2, {2, 1}},
                             OffsetCase{"a\r\nb", 3, {2, 1}},
                             OffsetCase{"\n\n", 2, {3, 1}},
                             OffsetCase{"\u00e9\u2603x", 5, {1, 3}},
                             OffsetCase{"\xEF\xBB\xBF"
                                        "ab",
                                        0,
                                        {1, 1}},
                             OffsetCase{"\xEF\xBB\xBF"
                                        "ab",
                                        4,
                                        {1, 2}}};

  for (const auto& [text, offset, position] : cases) EXPECT_EQ(position_of(text, offset), position) << text << offset;
}

}  // namespace
}  // namespace carillon
