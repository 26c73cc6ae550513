#include "base/quoted.hpp"
#include "cli/command_line/command_error.hpp"
#include "cli/command_line/help.hpp"
#include "cli/command_line/help_topics.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/connection/session.hpp"
#include "document/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace carillon::cli {

namespace {

std::unexpected<Error> unknown_topic(std::string_view word) {
  std::vector<std::string_view> names;
  for (const Verb* verb : verbs()) names.push_back(verb->name);
  for (const Topic& topic : topics()) names.push_back(topic.name);
  const std::string_view nearest = nearest_word(word, names);
  return std::unexpected(
      usage_error(fmt::format("no help for {}", carillon::quoted(word)),
                  nearest.empty() ? "see all topics: carillon help" : fmt::format("did you mean {}?", nearest)));
}

Result<ExitCode> help_command(const Arguments& arguments, Session& session) {
  if (arguments.targets.empty()) {
    session.print(overview_text());
    return ExitCode::ok;
  }
  const std::string& word = arguments.targets.front();
  const auto topic = std::ranges::find(topics(), word, &Topic::name);
  if (topic != topics().end()) {
    session.print(topic->text);
    return ExitCode::ok;
  }
  if (const std::string text = group_text(word); arguments.targets.size() == 1 && !text.empty()) {
    session.print(text);
    return ExitCode::ok;
  }
  const auto verb = find_verb(arguments.targets);
  if (!verb) return arguments.targets.size() > 1 ? std::unexpected(verb.error()) : unknown_topic(word);
  session.print(help_text(*verb->verb));
  return ExitCode::ok;
}

}  // namespace

const Verb help_verb{
    .name = "help",
    .targets = "[COMMAND|TOPIC]",
    .summary = "Explains a command or a topic.",
    .examples = {"carillon help next", "carillon help exit-codes", "carillon help times"},
    .group = VerbGroup::yourself,
    .perform = help_command,
    .completes = Completes::verbs,
};

}  // namespace carillon::cli
