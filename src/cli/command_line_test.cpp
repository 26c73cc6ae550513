#include "cli/command_line.hpp"

#include "cli/command_line/arguments.hpp"
#include "cli/command_line/command_error.hpp"
#include "cli/command_line/help.hpp"
#include "cli/command_line/help_topics.hpp"
#include "definitions/words.hpp"
#include "support/command_line_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <sstream>

namespace carillon::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(CommandLine, alone_says_what_it_is_and_what_to_try) {
  const Told told = carillon_says({});

  EXPECT_EQ(told.exit_code, 0);
  EXPECT_THAT(told.output, HasSubstr("carillon next '0 9 * * 1-5'"));
  EXPECT_THAT(told.output, HasSubstr("carillon help"));
  EXPECT_EQ(told.error, "");
}

TEST(CommandLine, helps_in_every_way_people_ask_for_it) {
  for (const char* word : {"help", "--help", "-h"}) {
    const Told told = carillon_says({word});

    EXPECT_EQ(told.exit_code, 0) << word;
    EXPECT_THAT(told.output, StartsWith("Usage: carillon COMMAND")) << word;
  }
}

TEST(CommandLine, every_help_ends_with_three_examples) {
  std::vector<std::vector<std::string>> questions{{"help"}};
  for (const Topic& topic : topics()) questions.push_back({"help", std::string{topic.name}});
  for (const Verb* each : verbs()) {
    const Verb& verb = *each;
    questions.push_back({std::string{verb.name}, "--help"});
    questions.push_back({"help", std::string{verb.name}});
  }
  for (const auto& question : questions) {
    const Told told = carillon_says(question);

    EXPECT_EQ(told.exit_code, 0) << question.front();
    EXPECT_THAT(told.output, ::testing::ContainsRegex("\nExamples:\n  [^\n]+\n  [^\n]+\n  [^\n]+\n$")) << told.output;
  }
}

/// `config`, `show` of each `carillon config show …` in a text.
std::vector<std::vector<std::string>> commands_in(const std::string& text) {
  std::vector<std::vector<std::string>> commands;
  for (std::size_t at = text.find("carillon "); at != std::string::npos; at = text.find("carillon ", at + 1)) {
    if (at == 0 || text[at - 1] != ' ') continue;
    std::istringstream rest{text.substr(at + 9, text.find('\n', at) - at - 9)};
    std::vector<std::string> words(2);
    rest >> words[0] >> words[1];
    for (std::string& word : words) word.erase(std::min(word.size(), word.find_first_of(".,;)")));
    if (words[0].starts_with('-')) continue;
    commands.push_back(words);
  }
  return commands;
}

TEST(CommandLine, names_the_fields_of_a_command_where_it_lets_people_choose) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> fields{
      {{"list", "--help"}, "id, name, status, activity, nextDueAt"},
      {{"run", "list", "--help"}, "id, schedule, nominal, due, state"},
      {{"token", "list", "--help"}, "id, name, role, execute"},
      {{"backfill", "list", "--help"}, "id, schedule, from, to, state"},
      {{"next", "--help"}, "nominal, due, local, note"}};
  for (const auto& [words, names] : fields) EXPECT_THAT(carillon_says(words).output, HasSubstr(names)) << words.front();
}

TEST(CommandLine, names_only_commands_that_exist) {
  std::string text = welcome_text();
  for (const Topic& topic : topics()) text += topic.text;
  for (const Verb* verb : verbs()) {
    for (const std::string_view example : verb->examples) text += fmt::format(" {}\n", example);
  }
  for (const auto& words : commands_in(text)) EXPECT_TRUE(find_verb(words)) << words[0] << ' ' << words[1];
}

TEST(CommandLine, explains_every_reason_for_a_skip) {
  const std::string text = carillon_says({"help", "reasons"}).output;

  for (const std::string_view reason : words_of<SkipReason>())
    EXPECT_THAT(text, HasSubstr(fmt::format("\n  {} ", reason)));
}

TEST(CommandLine, lists_the_second_words_of_a_first) {
  for (const auto& words : std::vector<std::vector<std::string>>{{"config", "--help"}, {"help", "config"}}) {
    const Told told = carillon_says(words);

    EXPECT_EQ(told.exit_code, 0);
    EXPECT_THAT(told.output, HasSubstr("\n  config show "));
  }
  EXPECT_EQ(carillon_says({"config"}).exit_code, 2);
}

TEST(CommandLine, lists_every_exit_code) {
  const std::string text = carillon_says({"help", "exit-codes"}).output;

  for (const char* code : {"    0  ok", "    1  ", "    2  ", "    3  ", "    4  ", "    5  ", "    6  ", "    7  ",
                           "    8  ", "   10  ", "  130  "}) {
    EXPECT_THAT(text, HasSubstr(code));
  }
}

TEST(CommandLine, refuses_arguments_of_commands_that_take_none) {
  std::size_t count = 0;
  for (const Verb* verb : verbs()) {
    if (!verb->targets.empty()) continue;
    ++count;
    const std::vector<std::string> words{"stray"};

    const auto arguments = parse_arguments(*verb, words);

    ASSERT_FALSE(arguments) << verb->name << " takes a word for nothing";
    EXPECT_TRUE(arguments.error().message.ends_with("takes no arguments, got \"stray\"")) << arguments.error().message;
    EXPECT_FALSE(arguments.error().hint.empty()) << verb->name;
  }
  EXPECT_GT(count, 15U);
  EXPECT_TRUE(carillon_says({"run", "list", "nightly"}).error.contains("carillon run list --schedule NAME"));
}

TEST(CommandLine, ends_an_error_that_asks_with_its_question_mark) {
  const Error error = usage_error("confirmation needed: run them?", "pass --yes to skip the question");
  ScriptedConsole console;

  print_error(console, Paint::of(console, Stream::error, ColourChoice::never), error);

  EXPECT_TRUE(console.error.starts_with("error: confirmation needed: run them?  ")) << console.error;
}

TEST(CommandLine, suggests_the_nearest_word) {
  struct Case {
    std::vector<std::string> arguments;
    std::string_view hint;
  };
  const Case cases[] = {{{"nxt"}, "did you mean carillon next?"},
                        {{"lnit"}, "did you mean carillon lint?"},
                        {{"zzzzzzzzzz"}, "see all commands: carillon help"},
                        {{"next", "@daily", "--utnil", "2027-01-01"}, "did you mean --until?"},
                        {{"lint", "--jsno", "x"}, "did you mean --json?"},
                        {{"help", "exitcodes"}, "did you mean exit-codes?"},
                        {{"completion", "tcsh"}, "bash"},
                        {{"--tz", "UTC"}, "see all commands: carillon help"}};
  for (const Case& c : cases) {
    const Told told = carillon_says(c.arguments);

    EXPECT_EQ(told.exit_code, 2) << c.hint;
    EXPECT_EQ(told.output, "") << c.hint;
    EXPECT_THAT(told.error, StartsWith("error: "));
    EXPECT_THAT(told.error, HasSubstr("[usage] exit 2\n"));
    EXPECT_THAT(told.error, HasSubstr(c.hint));
  }
}

TEST(CommandLine, takes_what_follows_two_dashes_as_it_is) {
  const Told told = carillon_says({"next", "--", "--help"});

  EXPECT_EQ(told.exit_code, 2);
  EXPECT_THAT(told.error, HasSubstr("[invalid-cron]"));
}

TEST(CommandLine, has_its_clock_from_the_environment_if_given) {
  ScriptedConsole fixed;
  fixed.variables["CARILLON_NOW"] = "2030-01-01T00:00:00Z";
  ScriptedConsole broken;
  broken.variables["CARILLON_NOW"] = "2030-13-01T00:00:00Z";

  EXPECT_THAT(carillon_on(fixed, {"next", "@daily", "-n", "1"}).output, HasSubstr("Wed  2 Jan 00:00 UTC   in 1d0h"));
  EXPECT_EQ(carillon_on(broken, {"next", "@daily"}).exit_code, 2);
  EXPECT_THAT(broken.error, HasSubstr("CARILLON_NOW"));
}

TEST(CommandLine, prints_its_version) {
  for (const char* word : {"version", "--version", "-V"}) {
    EXPECT_THAT(carillon_says({word}).output, ::testing::ContainsRegex("^carillon [0-9]+\\.[0-9]+\\.[0-9]+\n"));
  }
  EXPECT_THAT(carillon_says({"version"}).output, HasSubstr("tzdata    2026b\n"));
  EXPECT_THAT(carillon_says({"version", "-o", "json"}).output, HasSubstr("\"tzdata\": \"2026b\""));
}

TEST(CommandLine, completes_in_four_shells) {
  for (const char* shell : {"bash", "zsh", "fish", "powershell"}) {
    const Told told = carillon_says({"completion", shell});

    EXPECT_EQ(told.exit_code, 0);
    for (const char* part : {"describe", "carillon completion candidates"}) {
      EXPECT_THAT(told.output, HasSubstr(part)) << shell;
    }
    EXPECT_THAT(told.output, Not(HasSubstr("@VERBS@")));
  }
}

TEST(CommandLine, colours_only_what_a_terminal_shows) {
  ScriptedConsole terminal;
  terminal.has_terminal = true;
  ScriptedConsole quiet_terminal;
  quiet_terminal.has_terminal = true;

  EXPECT_THAT(carillon_on(terminal, {"next", "@daily"}).output, HasSubstr("\x1b[1m"));
  EXPECT_THAT(carillon_on(quiet_terminal, {"next", "@daily", "--color", "never"}).output, Not(HasSubstr("\x1b")));
}

TEST(CommandLine, never_echoes_control_characters) {
  const Told told = carillon_says({"next", "\x1b[2J * * * *"});

  EXPECT_EQ(told.exit_code, 2);
  EXPECT_THAT(told.error, Not(HasSubstr("\x1b")));
  EXPECT_THAT(told.error, HasSubstr("\\x1b[2J"));
}

TEST(CommandLine, shortens_what_it_echoes) {
  const Told told = carillon_says({"next", std::string(100'000, '7')});

  EXPECT_EQ(told.exit_code, 2);
  EXPECT_LT(told.error.size(), 1000U);
}

}  // namespace
}  // namespace carillon::cli
