#include "cli/terminal/table.hpp"

#include <gtest/gtest.h>

namespace carillon::cli {
namespace {

const Paint plain{false, true};

TEST(Table, lines_up_columns_by_characters) {
  Table table;
  table.add({{.text = "ü"}, {.text = "1", .align = Align::right}, {.text = "end"}});
  table.add({{.text = "long"}, {.text = "22", .align = Align::right}, {.text = "x"}});

  EXPECT_EQ(table.text(plain, "> ", "  "), "> ü      1  end\n> long  22  x\n");
}

TEST(Table, leaves_no_blanks_at_the_end_of_a_line) {
  Table table;
  table.add({{.text = "a"}, {.text = "remark"}});
  table.add({{.text = "bcd"}, {.text = ""}});

  EXPECT_EQ(table.text(plain, "", "  "), "a    remark\nbcd\n");
}

TEST(Table, gives_no_room_to_an_empty_column) {
  Table table;
  table.add({{.text = "a"}, {.text = ""}, {.text = "b"}});

  EXPECT_EQ(table.text(plain, "", "  "), "a  b\n");
}

TEST(Table, does_not_count_colours_as_width) {
  Table table;
  table.add({{.text = "a", .colour = Colour::red}, {.text = "x"}});
  table.add({{.text = "bb"}, {.text = "y"}});

  EXPECT_EQ(table.text(Paint{true, true}, "", " "), "\x1b[31ma\x1b[0m  x\nbb y\n");
}

TEST(Table, lines_up_signs_that_are_wider_in_ascii) {
  Table table;
  table.add({{.text = "✔"}, {.text = "a"}});
  table.add({{.text = "✗"}, {.text = "b"}});

  EXPECT_EQ(table.text(Paint{false, false}, "", " "), "ok a\nx  b\n");
}

TEST(Table, narrows_one_column_to_fit) {
  Table table;
  table.add({{.text = "name"}, {.text = "a long sentence"}, {.text = "end"}});
  table.add({{.text = "x"}, {.text = "short"}, {.text = "end"}});

  table.narrow(1, 20, plain, " ");

  EXPECT_EQ(table.text(plain, "", " "), "name a long sen… end\nx    short       end\n");
}

TEST(Table, leaves_a_column_out_of_which_nothing_would_be_seen) {
  Table table;
  table.add({{.text = "name"}, {.text = "a long sentence"}, {.text = "end"}});

  table.narrow(1, 15, plain, " ");

  EXPECT_EQ(table.text(plain, "", " "), "name end\n");
}

}  // namespace
}  // namespace carillon::cli
