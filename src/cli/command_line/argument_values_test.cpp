#include "cli/command_line/argument_values.hpp"

#include "support/fixed_zone_source.hpp"
#include "support/test_zones.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace carillon::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(CountValue, is_a_whole_number_within_its_limit) {
  EXPECT_EQ(count_value("-n", "1", 10).value(), 1U);
  EXPECT_EQ(count_value("-n", "10", 10).value(), 10U);
  for (const std::string_view text : {"", "0", "11", "-1", "+1", "1.5", "1e1", "ten", " 1", "99999999999999999999"}) {
    EXPECT_FALSE(count_value("-n", text, 10).has_value()) << text;
  }
}

TEST(FieldNames, are_those_the_answer_has) {
  constexpr std::array<std::string_view, 3> known{"nominal", "local", "note"};

  EXPECT_THAT(field_names("note,local", known).value(), ElementsAre("note", "local"));
  EXPECT_THAT(field_names("locale", known).error().hint, HasSubstr("did you mean local?"));
  EXPECT_FALSE(field_names("", known).has_value());
  EXPECT_FALSE(field_names("note,", known).has_value());
}

TEST(OutputFormat, is_table_unless_told_otherwise) {
  constexpr std::array known{Format::table, Format::json};

  EXPECT_EQ(output_format({}, known).value(), Format::table);
  EXPECT_EQ(output_format("text", known).value(), Format::table);
  EXPECT_EQ(output_format("json", known).value(), Format::json);
  EXPECT_THAT(output_format("jsn", known).error().hint, HasSubstr("did you mean json?"));
  EXPECT_FALSE(output_format("csv", known).has_value());
}

}  // namespace
}  // namespace carillon::cli
