#include "cli/terminal/line_reader.hpp"

#include "support/scripted_console.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace carillon::cli {
namespace {

using ::testing::ElementsAre;

/// All lines of an input that comes in pieces; a line that is too long shows as `<too long>`.
std::vector<std::string> lines_of(std::string input, std::size_t piece) {
  ScriptedConsole console;
  console.input = std::move(input);
  console.read_size_max = piece;
  LineReader reader{console, 8};
  std::vector<std::string> lines;
  while (const auto line = reader.next([] {}).value()) {
    lines.push_back(line->is_too_long ? "<too long>" : std::string{line->text});
  }
  return lines;
}

TEST(LineReader, gives_the_same_lines_however_the_input_is_cut) {
  for (std::size_t piece = 1; piece <= 40; ++piece) {
    EXPECT_THAT(lines_of("a\r\n\nbcd\n12345678\n123456789\n1234567890123456789012345\nz", piece),
                ElementsAre("a", "", "bcd", "12345678", "<too long>", "<too long>", "z"))
        << piece;
  }
}

TEST(LineReader, knows_a_last_line_without_line_end) {
  EXPECT_THAT(lines_of("", 4), ElementsAre());
  EXPECT_THAT(lines_of("a\n", 4), ElementsAre("a"));
  EXPECT_THAT(lines_of("a\nb", 4), ElementsAre("a", "b"));
  EXPECT_THAT(lines_of(std::string(100, 'x'), 4), ElementsAre("<too long>"));
}

TEST(LineReader, tells_before_it_waits_for_input) {
  ScriptedConsole console;
  console.input = "a\nb\n";
  console.read_size_max = 2;
  LineReader reader{console, 8};
  int waits = 0;

  static_cast<void>(reader.next([&] { ++waits; }));
  EXPECT_EQ(waits, 1);
  static_cast<void>(reader.next([&] { ++waits; }));
  EXPECT_EQ(waits, 2);
}

}  // namespace
}  // namespace carillon::cli
