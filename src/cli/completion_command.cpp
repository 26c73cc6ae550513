#include "base/quoted.hpp"
#include "cli/arguments.hpp"
#include "cli/failure.hpp"
#include "cli/session.hpp"
#include "cli/verbs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace carillon {

namespace {

constexpr std::string_view shells = "bash zsh fish powershell";
constexpr std::string_view topics = "exit-codes json times lint-codes";
constexpr std::string_view formats = "table wide text json jsonl yaml csv";
constexpr std::string_view colours = "auto always never";

std::string verb_names() {
  std::vector<std::string_view> names;
  for (const Verb* verb : verbs()) names.push_back(verb->name);
  return fmt::format("{}", fmt::join(names, " "));
}

std::string flag_names(const Verb& verb) {
  std::vector<std::string> names;
  for (const Flag& flag : flags_of(verb)) names.push_back(flag.name);
  return fmt::format("{}", fmt::join(names, " "));
}

/// One line for each verb, made by `line(verb)`.
template <typename Line>
std::string per_verb(Line line) {
  std::string text;
  for (const Verb* verb : verbs()) text += line(*verb);
  return text;
}

constexpr std::string_view bash_frame = R"script(# bash completion for carillon: source <(carillon completion bash)
_carillon() {
  local word="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}" choices=""
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "@VERBS@" -- "$word"))
    return
  fi
  case "$previous" in
    --tz|--display-tz) choices="$(carillon zones -q 2>/dev/null)" ;;
    --spec) COMPREPLY=($(compgen -f -- "$word")); return ;;
    -o|--output) choices="@FORMATS@" ;;
    --color) choices="@COLOURS@" ;;
    *)
      case "${COMP_WORDS[1]}" in
@FLAGS@      esac
      case "${COMP_WORDS[1]}:$word" in
        *:-*) ;;
        lint:*) COMPREPLY=($(compgen -f -- "$word")); return ;;
        zones:*) choices="$(carillon zones -q 2>/dev/null)" ;;
        completion:*) choices="@SHELLS@" ;;
        help:*) choices="@VERBS@ @TOPICS@" ;;
      esac ;;
  esac
  COMPREPLY=($(compgen -W "$choices" -- "$word"))
}
complete -F _carillon carillon
)script";

constexpr std::string_view zsh_frame = R"script(#compdef carillon
# zsh completion for carillon: put it as _carillon into a folder of $fpath
_carillon() {
  if (( CURRENT == 2 )); then
    compadd -- @VERBS@
    return
  fi
  case "${words[CURRENT-1]}" in
    --tz|--display-tz) compadd -- ${(f)"$(carillon zones -q 2>/dev/null)"}; return ;;
    --spec) _files; return ;;
    -o|--output) compadd -- @FORMATS@; return ;;
    --color) compadd -- @COLOURS@; return ;;
  esac
  if [[ "${words[CURRENT]}" == -* ]]; then
    case "${words[2]}" in
@FLAGS@    esac
    return
  fi
  case "${words[2]}" in
    lint) _files ;;
    zones) compadd -- ${(f)"$(carillon zones -q 2>/dev/null)"} ;;
    completion) compadd -- @SHELLS@ ;;
    help) compadd -- @VERBS@ @TOPICS@ ;;
  esac
}
if [ "$funcstack[1]" = "_carillon" ]; then _carillon "$@"; else compdef _carillon carillon; fi
)script";

constexpr std::string_view fish_frame = R"script(# fish completion for carillon
complete -c carillon -f
@FLAGS@complete -c carillon -n '__fish_seen_subcommand_from zones' -a '(carillon zones -q 2>/dev/null)'
complete -c carillon -n '__fish_seen_subcommand_from completion' -a '@SHELLS@'
complete -c carillon -n '__fish_seen_subcommand_from help' -a '@VERBS@ @TOPICS@'
complete -c carillon -n '__fish_seen_subcommand_from lint' -F
)script";

constexpr std::string_view powershell_frame = R"script(# PowerShell completion for carillon
Register-ArgumentCompleter -Native -CommandName carillon -ScriptBlock {
  param($word, $ast, $position)
  $words = @($ast.CommandElements | ForEach-Object { $_.ToString() })
  $count = $words.Count
  if ($word -ne '') { $count = $count - 1 }
  $previous = $words[$count - 1]
  $choices = switch ($previous) {
    { $_ -in '--tz', '--display-tz' } { carillon zones -q 2>$null; break }
    { $_ -in '-o', '--output' } { '@FORMATS@' -split ' '; break }
    '--color' { '@COLOURS@' -split ' '; break }
    default {
      if ($count -eq 1) { '@VERBS@' -split ' ' }
      else {
        switch ($words[1]) {
@FLAGS@        }
        switch ($words[1]) {
          'zones' { carillon zones -q 2>$null }
          'completion' { '@SHELLS@' -split ' ' }
          'help' { '@VERBS@ @TOPICS@' -split ' ' }
        }
      }
    }
  }
  $choices | Where-Object { $_ -like "$word*" } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}
)script";

std::string fish_choices(const Flag& flag) {
  if (flag.name == "--tz" || flag.name == "--display-tz") return " -x -a '(carillon zones -q 2>/dev/null)'";
  if (flag.name == "--output") return fmt::format(" -x -a '{}'", formats);
  if (flag.name == "--color") return fmt::format(" -x -a '{}'", colours);
  if (flag.name == "--spec") return " -r -F";
  return flag.takes_value ? " -x" : "";
}

std::string fish_flag(const Verb& verb, const Flag& flag) {
  const bool is_long = flag.name.starts_with("--");
  return fmt::format("complete -c carillon -n '__fish_seen_subcommand_from {}' -{} {}{} -d '{}'\n", verb.name,
                     is_long ? 'l' : 's', flag.name.substr(is_long ? 2 : 1), fish_choices(flag), flag.description);
}

std::string fish_lines(const Verb& verb) {
  std::string text =
      fmt::format("complete -c carillon -n '__fish_use_subcommand' -a {} -d '{}'\n", verb.name, verb.summary);
  for (const Flag& flag : flags_of(verb)) text += fish_flag(verb, flag);
  return text;
}

void replace_all(std::string& text, std::string_view mark, std::string_view value) {
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + value.size())) {
    text.replace(at, mark.size(), value);
  }
}

std::string filled(std::string_view frame, std::string_view flags) {
  std::string text{frame};
  replace_all(text, "@FLAGS@", flags);
  replace_all(text, "@VERBS@", verb_names());
  replace_all(text, "@SHELLS@", shells);
  replace_all(text, "@TOPICS@", topics);
  replace_all(text, "@FORMATS@", formats);
  replace_all(text, "@COLOURS@", colours);
  return text;
}

std::string bash_script() {
  return filled(bash_frame, per_verb([](const Verb& verb) {
                  return fmt::format("        {}) choices=\"{}\" ;;\n", verb.name, flag_names(verb));
                }));
}

std::string zsh_script() {
  return filled(zsh_frame, per_verb([](const Verb& verb) {
                  return fmt::format("      {}) compadd -- {} ;;\n", verb.name, flag_names(verb));
                }));
}

std::string fish_script() { return filled(fish_frame, per_verb(fish_lines)); }

std::string powershell_script() {
  return filled(powershell_frame, per_verb([](const Verb& verb) {
                  return fmt::format("          '{}' {{ '{}' -split ' ' }}\n", verb.name, flag_names(verb));
                }));
}

struct Shell {
  std::string_view name;
  std::string (*script)();
};

constexpr std::array<Shell, 4> known_shells{{{.name = "bash", .script = bash_script},
                                             {.name = "zsh", .script = zsh_script},
                                             {.name = "fish", .script = fish_script},
                                             {.name = "powershell", .script = powershell_script}}};

Result<ExitCode> completion_command(const Arguments& arguments, Session& session) {
  const std::string name = arguments.targets.empty() ? "" : arguments.targets.front();
  const auto shell = std::ranges::find(known_shells, name, &Shell::name);
  if (shell == known_shells.end()) {
    return std::unexpected(usage_error(
        name.empty() ? "the name of the shell is missing" : fmt::format("no completion for {}", quoted(name)),
        fmt::format("one of: {}", shells)));
  }
  session.console.write(shell->script());
  return ExitCode::ok;
}

}  // namespace

const Verb completion_verb{
    .name = "completion",
    .targets = "bash|zsh|fish|powershell",
    .summary = "Prints a script that completes verbs, flags and zone names in your shell.",
    .examples = {"source <(carillon completion bash)", "carillon completion zsh > ~/.zfunc/_carillon",
                 "carillon completion fish > ~/.config/fish/completions/carillon.fish"},
    .group = VerbGroup::yourself,
    .perform = completion_command,
};

}  // namespace carillon
