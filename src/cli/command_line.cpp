#include "cli/command_line.hpp"

#include "cli/command_line/argument_values.hpp"
#include "cli/command_line/arguments.hpp"
#include "cli/command_line/command_error.hpp"
#include "cli/command_line/help.hpp"
#include "cli/connection/session.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace carillon::cli {

namespace {

/// `--help` and `--version` are what everybody tries first.
std::string_view verb_name(std::string_view word) {
  if (word == "--help" || word == "-h" || word == "-?") return "help";
  if (word == "--version" || word == "-V") return "version";
  return word;
}

Result<Instant> time_now(const Console& console) {
  const auto fixed = console.environment("CARILLON_NOW");
  // Fractions of now would only clutter answers in whole seconds.
  if (!fixed || fixed->empty()) return std::chrono::floor<std::chrono::seconds>(console.clock());
  auto now = parse_instant(*fixed);
  if (now) return now;
  return while_doing<Instant>(std::unexpected(shown_in(std::move(now).error(), *fixed)), "reading CARILLON_NOW");
}

Result<ExitCode> perform(const Verb& verb, std::span<const std::string> words, const Dependencies& world) {
  const Arguments arguments = TRY(parse_arguments(verb, words));
  const auto colours = arguments.knows("color") ? arguments.value("color") : std::nullopt;
  Session session{.console = world.console,
                  .zones = world.zones,
                  .server = world.server,
                  .transport = world.transport,
                  .now = TRY(time_now(world.console)),
                  .paint = Paint::of(world.console, Stream::output, TRY(colour_choice(colours)))};
  if (arguments.has("help")) {
    session.print(help_text(verb));
    return ExitCode::ok;
  }
  return verb.perform(arguments, session);
}

/// Whether the word is a flag whose value is the next word, for any verb.
bool takes_next_word(std::string_view word) {
  for (const Verb* verb : verbs()) {
    for (const Flag& flag : flags_of(*verb))
      if (flag.name == word) return flag.takes_value;
  }
  return false;
}

/// Flags may stand before the command: `carillon --server X list` is `carillon list --server X`.
std::vector<std::string> with_command_first(std::vector<std::string> words) {
  auto first = words.begin();
  while (first != words.end() && first->starts_with('-') && verb_name(*first) == *first) {
    const bool has_value = takes_next_word(*first) && first + 1 != words.end();
    first += has_value ? 2 : 1;
  }
  if (first == words.begin() || first == words.end()) return words;
  const auto count = find_verb({first, words.end()});
  std::rotate(words.begin(), first, first + (count ? static_cast<std::ptrdiff_t>(count->word_count) : 1));
  return words;
}

Result<ExitCode> perform(std::span<const std::string> arguments, const Dependencies& world) {
  if (arguments.empty()) {
    world.console.write(Paint::of(world.console, Stream::output, ColourChoice::automatic).signs(welcome_text()));
    return ExitCode::ok;
  }
  std::vector<std::string> words = with_command_first({arguments.begin(), arguments.end()});
  words.front() = verb_name(words.front());
  if (words.front().starts_with('-')) {
    return std::unexpected(usage_error("no command given", "see all commands: carillon help"));
  }
  if (words.size() == 2 && words[1].starts_with('-') && verb_name(words[1]) == "help") words = {"help", words.front()};
  const FoundVerb found = TRY(find_verb(words));
  return perform(*found.verb, std::span{words}.subspan(found.word_count), world);
}

/// A reader who has seen enough, such as `head`, is no failure; a full disk is.
Result<ExitCode> checked_output(ExitCode code, const Console& console) {
  if (console.output_state() == Console::OutputState::failed) {
    return fail(ErrorCode::unavailable, "cannot write to standard output");
  }
  return code;
}

}  // namespace

int run(std::span<const std::string> arguments, const Dependencies& world) {
  auto outcome = perform(arguments, world);
  if (outcome) outcome = checked_output(*outcome, world.console);
  if (outcome) return static_cast<int>(*outcome);
  const Error error = with_remedy(std::move(outcome).error());
  print_error(world.console, Paint::of(world.console, Stream::error, ColourChoice::automatic), error);
  return static_cast<int>(exit_code_of(error));
}

}  // namespace carillon::cli
