#pragma once

#include "base/error.hpp"

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace carillon {

/// What stands on a command line behind its verb, as written. Each verb has a part of it.
struct Arguments {
  std::vector<std::string> targets;  // all that is no flag: expressions, files, a pattern, a topic
  std::optional<std::string> spec_file;
  std::optional<std::string> schedule_id;
  std::optional<std::string> timezone;
  std::optional<std::string> display_timezone;
  std::optional<std::string> after;
  std::optional<std::string> before;
  std::optional<std::string> until;
  std::optional<std::string> count;
  std::optional<std::string> output;
  std::optional<std::string> fields;
  std::optional<std::string> colour;
  std::optional<std::string> data;
  std::optional<std::string> worker_count;
  std::optional<std::string> stop_timeout;
  std::optional<std::string> log_form;
  std::vector<std::string> applied;
  std::vector<std::string> allowed_egress;
  std::optional<std::string> listen;
  std::optional<std::string> certificate_file;
  std::optional<std::string> key_file;
  std::optional<std::string> metrics_schedule_count;
  std::vector<std::string> allowed_hosts;
  std::vector<std::string> allowed_origins;
  bool is_insecure = false;
  bool is_batch = false;
  bool is_quiet = false;
  bool wants_all = false;
  bool wants_help = false;
};

struct Verb {
  std::string_view name;
  std::string_view targets;  // as help shows them: `EXPR`
  std::string_view summary;
  std::array<std::string_view, 3> examples;
};

/// All verbs, in the order of the help.
[[nodiscard]] std::span<const Verb> verbs();

/// The verb of that name, or an error with the nearest.
[[nodiscard]] Result<const Verb*> find_verb(std::string_view name);

/// What follows the verb. An unknown flag is an error with the nearest; what is behind `--` is never a flag.
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

}  // namespace carillon
