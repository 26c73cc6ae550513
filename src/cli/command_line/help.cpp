#include "cli/command_line/help.hpp"

#include "cli/command_line/help_topics.hpp"
#include "cli/command_line/verbs.hpp"

#include <fmt/format.h>

#include <array>
#include <vector>

namespace carillon::cli {

namespace {

/// `config show` is behind `config`; verbs about schedules are behind `scheduler`.
bool is_behind(std::string_view first_word, const Verb& verb) {
  if (first_word == "scheduler")
    return find_verb(std::vector{std::string{first_word}, std::string{verb.name}}).has_value();
  return verb.name.starts_with(first_word) && verb.name.substr(first_word.size()).starts_with(' ');
}

/// The rest is for the help of the command itself.
std::string_view first_sentence(std::string_view text) {
  text = text.substr(0, text.find(". "));
  if (text.ends_with('.')) text.remove_suffix(1);
  return text;
}

}  // namespace

std::string welcome_text() {
  return R"(carillon starts things when they are due, exactly once, and can explain why something did not run.

Start here:
  carillon init hello && cd hello         creates two example schedules
  carillon serve --apply .                starts a server that runs them

See what happens:
  carillon list                           schedules, next starts, last results
  carillon history hello                  what ran, what was skipped, and why
  carillon why hello '2026-10-27 09:00'   what was decided about one scheduled time, and why
  carillon logs hello                     output of the newest run

Without a server:
  carillon next '0 9 * * 1-5' --tz America/New_York

Problems? carillon doctor. Help: carillon help, carillon help getting-started, carillon next --help
)";
}

std::string group_text(std::string_view first_word) {
  std::string lines;
  for (const Verb* verb : verbs()) {
    if (verb->name == first_word) return {};
    if (is_behind(first_word, *verb)) lines += fmt::format("  {:<18} {}\n", verb->name, first_sentence(verb->summary));
  }
  if (lines.empty()) return {};
  return fmt::format("Usage: carillon {} COMMAND [OPTIONS]\n\n{}\nHelp for each: carillon {} COMMAND --help\n",
                     first_word, lines, first_word);
}

std::string overview_text() {
  constexpr std::array<std::pair<VerbGroup, std::string_view>, 6> groups{{
      {VerbGroup::schedules, "Schedules"},
      {VerbGroup::runs, "Runs"},
      {VerbGroup::pipelines, "Pipelines, without a server"},
      {VerbGroup::time, "Time questions, without a server"},
      {VerbGroup::server, "The server"},
      {VerbGroup::yourself, "The command line"},
  }};
  std::string text = "Usage: carillon COMMAND [OPTIONS]\n";
  for (const auto& [group, heading] : groups) {
    std::string lines;
    for (const Verb* verb : verbs()) {
      if (verb->group == group) lines += fmt::format("  {:<18} {}\n", verb->name, first_sentence(verb->summary));
    }
    if (!lines.empty()) text += fmt::format("\n{}:\n{}", heading, lines);
  }
  text += "\nTopics (carillon help TOPIC):\n";
  for (const Topic& topic : topics()) text += fmt::format("  {:<18} {}\n", topic.name, topic.summary);
  return text + R"(
Examples:
  carillon list
  carillon why nightly '2026-10-27 09:00'
  carillon next '0 9 * * 1-5' --tz America/New_York
)";
}

}  // namespace carillon::cli
