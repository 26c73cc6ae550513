#include "base/quoted.hpp"
#include "cli/command_line/arguments.hpp"
#include "cli/command_line/command_error.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/commands/completion_candidates.hpp"
#include "cli/connection/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace carillon::cli {

namespace {

constexpr std::string_view shells = "bash zsh fish powershell";

// The scripts know the first words by themselves. For all that follows they ask `carillon completion candidates`, which
// answers one word a line, or `:files` where the shell shall offer names of files.

constexpr std::string_view bash_frame = R"script(# bash completion for carillon: source <(carillon completion bash)
_carillon() {
  local word="${COMP_WORDS[COMP_CWORD]}" answer
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "@VERBS@" -- "$word"))
    return
  fi
  answer="$(carillon completion candidates -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)"
  if [ "$answer" = ":files" ]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  elif [ -n "$answer" ]; then
    mapfile -t COMPREPLY <<<"$answer"
  fi
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
  local answer
  answer="$(carillon completion candidates -- "${(@)words[2,CURRENT]}" 2>/dev/null)"
  if [[ "$answer" == ":files" ]]; then
    _files
  elif [[ -n "$answer" ]]; then
    compadd -- ${(f)answer}
  fi
}
if [ "$funcstack[1]" = "_carillon" ]; then _carillon "$@"; else compdef _carillon carillon; fi
)script";

constexpr std::string_view fish_frame = R"script(# fish completion for carillon
function __carillon_candidates
  set -l words (commandline -opc)
  set -e words[1]
  set -l current (commandline -ct)
  set -l answer (carillon completion candidates -- $words "$current" 2>/dev/null)
  if test "$answer" = ":files"
    __fish_complete_path "$current"
  else if test -n "$answer"
    printf '%s\n' $answer
  end
end
complete -c carillon -f
complete -c carillon -n '__fish_use_subcommand' -a '@VERBS@'
complete -c carillon -n 'not __fish_use_subcommand' -a '(__carillon_candidates)'
)script";

constexpr std::string_view powershell_frame = R"script(# PowerShell completion for carillon
Register-ArgumentCompleter -Native -CommandName carillon -ScriptBlock {
  param($word, $ast, $position)
  $words = @($ast.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  $choices = if ($words.Count -eq 0 -or ($words.Count -eq 1 -and $word -ne '')) { '@VERBS@' -split ' ' }
  elseif ($word -eq '') { carillon completion candidates-next -- @words 2>$null }
  else { carillon completion candidates -- @words 2>$null }
  $choices | Where-Object { $_ -ne ':files' -and $_ -like "$word*" } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}
)script";

struct Shell {
  std::string_view name;
  std::string_view frame;
};

constexpr std::array<Shell, 4> known_shells{{{.name = "bash", .frame = bash_frame},
                                             {.name = "zsh", .frame = zsh_frame},
                                             {.name = "fish", .frame = fish_frame},
                                             {.name = "powershell", .frame = powershell_frame}}};

std::string script_of(const Shell& shell) {
  std::set<std::string_view> words{"scheduler"};
  for (const Verb* verb : verbs()) words.insert(verb->name.substr(0, verb->name.find(' ')));
  constexpr std::string_view mark = "@VERBS@";
  std::string text{shell.frame};
  text.replace(text.find(mark), mark.size(), fmt::format("{}", fmt::join(words, " ")));
  return text;
}

Result<ExitCode> completion_command(const Arguments& arguments, Session& session) {
  const std::string name = arguments.targets.empty() ? "" : arguments.targets.front();
  if (name == "candidates" || name == "candidates-next") {
    std::vector<std::string> words{arguments.targets.begin() + 1, arguments.targets.end()};
    // Some shells cannot hand over an empty word.
    if (name == "candidates-next") words.emplace_back();
    const Candidates found = completion_candidates(words, session);
    std::string text = found.has_files ? ":files\n" : "";
    for (const std::string& word : found.words) text += word + '\n';
    session.console.write(text);
    return ExitCode::ok;
  }
  const auto shell = std::ranges::find(known_shells, name, &Shell::name);
  if (shell == known_shells.end()) {
    return std::unexpected(
        usage_error(name.empty() ? "no shell given"
                                 : fmt::format("no completion script for {}", carillon::quoted(std::string_view{name})),
                    fmt::format("one of: {}", shells)));
  }
  session.console.write(script_of(*shell));
  return ExitCode::ok;
}

}  // namespace

const Verb completion_verb{
    .name = "completion",
    .targets = "bash|zsh|fish|powershell",
    .summary = "Prints a shell script that completes commands, flags and schedule names.",
    .examples = {"source <(carillon completion bash)", "carillon completion zsh > ~/.zfunc/_carillon",
                 "carillon completion fish > ~/.config/fish/completions/carillon.fish"},
    .group = VerbGroup::yourself,
    .perform = completion_command,
};

}  // namespace carillon::cli
