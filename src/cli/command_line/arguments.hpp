#pragma once

#include "base/error.hpp"
#include "cli/command_line/exit_code.hpp"

#include <array>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace carillon::cli {

struct Session;

/// A flag of a command. Texts live as long as the program.
struct FlagSpec {
  std::string_view names;  // `-n,--count`; the last one is how it is asked for
  std::string_view form;   // of its value: `N`; empty: it has none
  std::string_view text;
  bool may_repeat = false;
};

using FlagSpecs = std::vector<FlagSpec>;

/// Several lists as one.
[[nodiscard]] FlagSpecs joined(std::initializer_list<FlagSpecs> lists);

/// What stands on a command line behind its verb, as written.
class Arguments {
 public:
  std::vector<std::string> targets;  // all that is no flag: expressions, files, a pattern, a topic

  /// The value of a flag by its long name without dashes: `value("tz")`. Only flags of the verb may be asked for.
  [[nodiscard]] std::optional<std::string> value(std::string_view flag) const;
  /// All values of a flag that may be repeated.
  [[nodiscard]] const std::vector<std::string>& values(std::string_view flag) const;
  /// Whether the flag stands there.
  [[nodiscard]] bool has(std::string_view flag) const { return !values(flag).empty(); }
  /// Whether the verb has such a flag at all, for what several verbs share.
  [[nodiscard]] bool knows(std::string_view flag) const { return flags_.contains(flag); }

  /// For the parser.
  std::vector<std::string>& declare(std::string_view flag) { return flags_[std::string{flag}]; }

 private:
  std::map<std::string, std::vector<std::string>, std::less<>> flags_;  // every flag of the verb
};

/// What a verb is about: the headings of the overview.
enum class VerbGroup { time, schedules, runs, pipelines, server, yourself };

/// Which targets a shell offers behind a verb.
enum class Completes { nothing, schedules, runs, queues, files, zones, verbs };

struct Verb {
  std::string_view name;     // `next`, `run logs`
  std::string_view targets;  // as help shows them: `EXPR`; empty: any is refused
  std::string_view summary;
  std::array<std::string_view, 3> examples;
  VerbGroup group = VerbGroup::yourself;
  FlagSpecs (*flags)() = nullptr;
  /// An error is printed by the caller, who also turns it into an exit code.
  Result<ExitCode> (*perform)(const Arguments&, Session&) = nullptr;
  Completes completes = Completes::nothing;
  std::string_view stray_hint{};  // for who gives a target to a verb that takes none; empty: its usage
};

/// All verbs, in the order of the help.
[[nodiscard]] std::span<const Verb* const> verbs();

/// The verb that the first words name, and how many words that are; or an error with the nearest. `scheduler` may stand
/// before verbs about schedules.
struct FoundVerb {
  const Verb* verb;
  std::size_t word_count;
};
[[nodiscard]] Result<FoundVerb> find_verb(std::span<const std::string> words);

/// What follows the verb. An unknown flag is an error with the nearest; what is behind `--` is never a flag. A target
/// of a verb that takes none is an error too: ignored, it would be taken for a filter.
[[nodiscard]] Result<Arguments> parse_arguments(const Verb& verb, std::span<const std::string> words);

/// The help of one verb; ends with its three examples.
[[nodiscard]] std::string help_text(const Verb& verb);

struct Flag {
  std::string name;  // `--tz`, `-n`
  std::string description;
  bool takes_value = false;
};

/// The flags of a verb, long and short ones each.
[[nodiscard]] std::vector<Flag> flags_of(const Verb& verb);

}  // namespace carillon::cli
