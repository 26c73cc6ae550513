#include "cli/terminal/paint.hpp"

#include "support/scripted_console.hpp"

#include <gtest/gtest.h>

namespace carillon::cli {
namespace {

struct ColourCase {
  std::string_view why;
  std::map<std::string, std::string> variables;
  bool has_terminal;
  ColourChoice choice;
  bool expected;
};

TEST(Paint, has_colours_by_flag_environment_and_terminal) {
  using enum ColourChoice;
  const ColourCase cases[] = {
      {"a terminal", {}, true, automatic, true},
      {"a pipe", {}, false, automatic, false},
      {"NO_COLOR", {{"NO_COLOR", "1"}}, true, automatic, false},
      {"NO_COLOR set to nothing", {{"NO_COLOR", ""}}, true, automatic, true},
      {"CLICOLOR_FORCE", {{"CLICOLOR_FORCE", "1"}}, false, automatic, true},
      {"CLICOLOR_FORCE off", {{"CLICOLOR_FORCE", "0"}}, false, automatic, false},
      {"NO_COLOR beats CLICOLOR_FORCE", {{"NO_COLOR", "1"}, {"CLICOLOR_FORCE", "1"}}, true, automatic, false},
      {"a simple terminal", {{"TERM", "dumb"}}, true, automatic, false},
      {"a flag beats NO_COLOR", {{"NO_COLOR", "1"}}, false, always, true},
      {"a flag beats the terminal", {}, true, never, false},
  };
  for (const ColourCase& c : cases) {
    ScriptedConsole console;
    console.variables = c.variables;
    console.has_terminal = c.has_terminal;

    const Paint paint = Paint::of(console, Stream::output, c.choice);

    EXPECT_EQ(paint(Colour::red, "x") != "x", c.expected) << c.why;
  }
}

TEST(Paint, writes_ascii_signs_unless_the_locale_is_utf8) {
  struct Case {
    std::map<std::string, std::string> variables;
    std::string_view expected;
  };
  const Case cases[] = {
      {{}, "! 02:00 -> 03:00, ?"},
      {{{"LANG", "C"}}, "! 02:00 -> 03:00, ?"},
      {{{"LANG", "de_DE.UTF-8"}}, "⚠ 02:00 → 03:00, ü"},
      {{{"LANG", "en_US.utf8"}}, "⚠ 02:00 → 03:00, ü"},
      {{{"LANG", "en_US.UTF-8"}, {"LC_ALL", "C"}}, "! 02:00 -> 03:00, ?"},
      {{{"LANG", "C"}, {"LC_CTYPE", "C.UTF-8"}}, "⚠ 02:00 → 03:00, ü"},
  };
  for (const Case& c : cases) {
    ScriptedConsole console;
    console.variables = c.variables;

    const Paint paint = Paint::of(console, Stream::output, ColourChoice::automatic);

    EXPECT_EQ(paint.signs("⚠ 02:00 → 03:00, ü"), c.expected);
  }
}

}  // namespace
}  // namespace carillon::cli
