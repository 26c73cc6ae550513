#include "cli/command_line.hpp"

#include "cli/argument_values.hpp"
#include "cli/arguments.hpp"
#include "cli/failure.hpp"
#include "cli/help.hpp"
#include "cli/session.hpp"

#include <array>
#include <utility>

namespace carillon {

namespace {

using Command = Result<ExitCode> (*)(const Arguments&, Session&);

constexpr std::array<std::pair<std::string_view, Command>, 9> commands{{{"next", next_command},
                                                                        {"describe", describe_command},
                                                                        {"lint", lint_command},
                                                                        {"zones", zones_command},
                                                                        {"serve", serve_command},
                                                                        {"ledger", ledger_command},
                                                                        {"version", version_command},
                                                                        {"completion", completion_command},
                                                                        {"help", help_command}}};

Command command_of(const Verb& verb) {
  for (const auto& [name, command] : commands) {
    if (name == verb.name) return command;
  }
  std::unreachable();
}

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

Result<ExitCode> perform(const Verb& verb, std::span<const std::string> words, Console& console, ZoneSource& zones,
                         ServerSide& server) {
  const Arguments arguments = TRY(parse_arguments(verb, words));
  Session session{.console = console,
                  .zones = zones,
                  .server = server,
                  .now = TRY(time_now(console)),
                  .paint = Paint::of(console, Stream::output, TRY(colour_choice(arguments.colour)))};
  if (arguments.wants_help) {
    session.print(help_text(verb));
    return ExitCode::ok;
  }
  return command_of(verb)(arguments, session);
}

Result<ExitCode> perform(std::span<const std::string> arguments, Console& console, ZoneSource& zones,
                         ServerSide& server) {
  if (arguments.empty()) {
    console.write(Paint::of(console, Stream::output, ColourChoice::automatic).signs(welcome_text()));
    return ExitCode::ok;
  }
  const std::string_view name = verb_name(arguments.front());
  if (name.starts_with('-')) {
    return std::unexpected(usage_error("a command comes before its flags", "for example: carillon next '0 9 * * 1-5'"));
  }
  return perform(*TRY(find_verb(name)), arguments.subspan(1), console, zones, server);
}

/// A reader who has seen enough, such as `head`, is no failure; a full disk is.
Result<ExitCode> checked_output(ExitCode code, const Console& console) {
  if (console.output_state() == Console::OutputState::failed) {
    return fail(ErrorCode::unavailable, "standard output cannot be written");
  }
  return code;
}

}  // namespace

int run(std::span<const std::string> arguments, Console& console, ZoneSource& zones, ServerSide& server) {
  auto outcome = perform(arguments, console, zones, server);
  if (outcome) outcome = checked_output(*outcome, console);
  if (outcome) return static_cast<int>(*outcome);
  print_error(console, Paint::of(console, Stream::error, ColourChoice::automatic), outcome.error());
  return static_cast<int>(exit_code_of(outcome.error()));
}

}  // namespace carillon
