#include "pipeline/csv.hpp"

#include "pipeline/json_text.hpp"

#include <gmock/gmock.h>

#include <boost/json/array.hpp>

namespace carillon::pipeline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string items_of(std::string_view text, std::string_view delimiter = ",") {
  const auto table = read_csv(text, delimiter);
  if (!table) return table.error().message;
  return compact(boost::json::array(table->items.begin(), table->items.end()));
}

TEST(Csv, quotes_line_ends_and_missing_cells_are_read_as_ever) {
  EXPECT_EQ(items_of("a,b\n1\n1,2,3\n"), R"([{"a":"1","b":""},{"a":"1","b":"2"}])");
  EXPECT_EQ(items_of("a\r\"x\r\ny\"\r"), R"([{"a":"x\ny"}])");
  EXPECT_EQ(items_of("a\n\"open, and\n \"\"so\"\" on"), R"([{"a":"open, and\n \"so\" on"}])");
  EXPECT_EQ(items_of("a\n\"\"\n"), R"([{"a":""}])");
  EXPECT_EQ(items_of("a,b\n1,\n"), R"([{"a":"1","b":""}])");
  EXPECT_EQ(items_of("a\n\"x\"\"\""), R"([{"a":"x\""}])");
}

TEST(Csv, a_delimiter_is_one_character) {
  EXPECT_EQ(items_of("a§b\n1§2", "§"), R"([{"a":"1","b":"2"}])");
  EXPECT_EQ(items_of("a||b\n1||2", "||"), R"([{"a||b":"1||2"}])");
  EXPECT_EQ(items_of("a,b\n1,2", ""), R"([{"a,b":"1,2"}])");
}

TEST(Csv, pieces_of_any_size_give_the_same_items) {
  const std::string text = "\xef\xbb\xbf id ;b\r\n1;\"x;\r\n\"\"y\"\"\"\r\n\r\nä;ö";
  const std::string whole = items_of(text, ";");

  for (std::size_t size = 1; size < text.size(); ++size) {
    CsvReader reader{";"};
    boost::json::array items;
    for (std::size_t at = 0; at < text.size(); at += size) {
      const auto read = reader.read(std::string_view{text}.substr(at, size));
      items.insert(items.end(), read->begin(), read->end());
    }
    const auto rest = reader.finish();
    items.insert(items.end(), rest->begin(), rest->end());
    EXPECT_EQ(compact(items), whole);
    EXPECT_THAT(reader.headers(), ElementsAre("id", "b"));
  }
}

TEST(Csv, malformed_utf8_and_rows_beyond_the_bounds_name_their_line) {
  EXPECT_EQ(items_of("a\n1\nx\xffy\n"), "the row that begins in line 3 is not UTF-8");
  EXPECT_THAT(items_of("a\n\"" + std::string(row_bytes_max, 'x')), HasSubstr("line 2 has more than"));
  EXPECT_THAT(items_of("a\n" + std::string(column_count_max, ',') + "\n"), HasSubstr("line 2 has more than"));
}

TEST(Csv, control_sequences_are_ordinary_text) {
  EXPECT_EQ(items_of("a\n\x1b[31mred\n"), "[{\"a\":\"\\u001b[31mred\"}]");
}

}  // namespace
}  // namespace carillon::pipeline
