#include "base/ids.hpp"

#include <gtest/gtest.h>

#include <array>
#include <type_traits>
#include <unordered_set>

namespace carillon {
namespace {

TEST(Ids, letters_digits_points_underscores_and_dashes_make_an_id) {
  for (const std::string_view text : {"a", "Z", "0", "nightly-etl", "a.b_c-D", "9lives", "a--..__"}) {
    const auto id = ScheduleId::parse(text);
    ASSERT_TRUE(id) << text;
    EXPECT_EQ(id->text(), text);
  }
}

TEST(Ids, an_id_has_at_most_128_characters) {
  EXPECT_TRUE(is_id_text(std::string(128, 'a')));
  EXPECT_FALSE(is_id_text(std::string(129, 'a')));
}

TEST(Ids, what_is_no_id_is_refused_where_the_fault_is) {
  struct Case {
    std::string text;
    std::size_t position;
  };
  const std::array cases{Case{"", 0},
                         Case{"-a", 0},
                         Case{".a", 0},
                         Case{"_a", 0},
                         Case{"a b", 1},
                         Case{"a/b", 1},
                         Case{"-a b", 0},
                         Case{"caf\u00e9", 3},
                         Case{"ab\n", 2},
                         Case{" a", 0},
                         Case{std::string("a\0b", 3), 1},
                         Case{std::string(129, 'a'), 128},
                         Case{"a b" + std::string(129, 'a'), 1}};

  for (const auto& [text, position] : cases) {
    const auto id = ScheduleId::parse(text);
    ASSERT_FALSE(id) << text;
    EXPECT_EQ(id.error().rule, "invalid-id");
    EXPECT_EQ(id.error().position, position) << text;
    EXPECT_FALSE(id.error().hint.empty());
  }
}

TEST(Ids, the_message_names_the_kind_of_id) {
  EXPECT_EQ(ScheduleId::parse("a b").error().message, "\"a b\" cannot be a schedule id");
  EXPECT_EQ(NamespaceId::parse("").error().message, "\"\" cannot be a namespace");
}

TEST(Ids, ids_of_different_kinds_cannot_be_mixed) {
  EXPECT_FALSE((std::is_convertible_v<ScheduleId, NamespaceId>));
  EXPECT_FALSE((std::is_constructible_v<ScheduleId, std::string>));
}

TEST(Ids, equal_texts_are_equal_ids) {
  const ScheduleId a = *ScheduleId::parse("a");
  const ScheduleId b = *ScheduleId::parse("b");

  EXPECT_EQ(a, *ScheduleId::parse("a"));
  EXPECT_LT(a, b);
  EXPECT_EQ((std::unordered_set<ScheduleId>{a, b, a}.size()), 2U);
}

}  // namespace
}  // namespace carillon
