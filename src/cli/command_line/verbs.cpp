#include "cli/command_line/verbs.hpp"

#include "base/quoted.hpp"
#include "cli/command_line/command_error.hpp"
#include "document/reader.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace carillon::cli {

namespace {

constexpr std::array all_verbs{&list_verb,
                               &status_verb,
                               &history_verb,
                               &why_verb,
                               &explain_verb,
                               &upcoming_verb,
                               &load_verb,
                               &trigger_verb,
                               &pause_verb,
                               &resume_verb,
                               &cancel_verb,
                               &enable_verb,
                               &disable_verb,
                               &reset_verb,
                               &delete_verb,
                               &add_verb,
                               &edit_verb,
                               &apply_verb,
                               &diff_verb,
                               &export_verb,
                               &import_crontab_verb,
                               &import_crontab_short_verb,
                               &backfill_create_verb,
                               &backfill_list_verb,
                               &backfill_show_verb,
                               &backfill_pause_verb,
                               &backfill_resume_verb,
                               &backfill_cancel_verb,
                               &failures_verb,
                               &run_list_verb,
                               &run_show_verb,
                               &run_logs_verb,
                               &run_retry_verb,
                               &run_cancel_verb,
                               &run_wait_verb,
                               &pipeline_items_verb,
                               &logs_verb,
                               &queue_list_verb,
                               &queue_pause_verb,
                               &queue_resume_verb,
                               &queue_drain_verb,
                               &queue_limit_verb,
                               &queue_dead_verb,
                               &watch_verb,
                               &top_verb,
                               &pipeline_validate_verb,
                               &pipeline_run_verb,
                               &next_verb,
                               &describe_verb,
                               &lint_verb,
                               &zones_verb,
                               &serve_verb,
                               &worker_verb,
                               &start_verb,
                               &stop_verb,
                               &ledger_verb,
                               &store_migrate_verb,
                               &store_copy_verb,
                               &system_verb,
                               &events_verb,
                               &token_create_verb,
                               &token_list_verb,
                               &token_revoke_verb,
                               &audit_verb,
                               &audit_verify_verb,
                               &init_verb,
                               &doctor_verb,
                               &open_verb,
                               &config_show_verb,
                               &config_get_verb,
                               &config_set_verb,
                               &config_unset_verb,
                               &config_path_verb,
                               &context_list_verb,
                               &context_show_verb,
                               &context_use_verb,
                               &context_add_verb,
                               &context_remove_verb,
                               &version_verb,
                               &completion_verb,
                               &help_verb};

/// Those that may stand behind `scheduler`.
constexpr std::array<std::string_view, 9> scheduler_verbs{"start", "stop",   "list",    "status", "trigger",
                                                          "pause", "resume", "history", "cancel"};

const Verb* verb_named(std::string_view name) {
  const auto found = std::ranges::find(all_verbs, name, [](const Verb* verb) { return verb->name; });
  return found != all_verbs.end() ? *found : nullptr;
}

/// What verbs of two words begin with this one.
std::vector<std::string_view> second_words(std::string_view first) {
  if (first == "scheduler") return {scheduler_verbs.begin(), scheduler_verbs.end()};
  std::vector<std::string_view> words;
  for (const Verb* verb : all_verbs) {
    const std::size_t blank = verb->name.find(' ');
    if (blank != std::string_view::npos && verb->name.substr(0, blank) == first)
      words.push_back(verb->name.substr(blank + 1));
  }
  return words;
}

std::unexpected<Error> unknown_second_word(std::string_view first, std::span<const std::string> words) {
  const auto known = second_words(first);
  const std::string all = fmt::format("carillon {} {}", first, fmt::join(known, "|"));
  if (words.size() < 2 || words[1].starts_with('-'))
    return std::unexpected(usage_error(fmt::format("{} needs a subcommand", first), all));
  const std::string_view nearest = nearest_word(words[1], known);
  return std::unexpected(
      usage_error(fmt::format("unknown subcommand {} of {}", carillon::quoted(words[1]), first),
                  nearest.empty() ? all : fmt::format("did you mean carillon {} {}?", first, nearest)));
}

}  // namespace

std::span<const Verb* const> verbs() { return all_verbs; }

Result<FoundVerb> find_verb(std::span<const std::string> words) {
  const std::string& first = words.front();
  if (first == "scheduler") {
    const bool is_known = words.size() > 1 && std::ranges::find(scheduler_verbs, words[1]) != scheduler_verbs.end();
    const Verb* verb = is_known ? verb_named(words[1]) : nullptr;
    if (verb == nullptr) return unknown_second_word(first, words);
    return FoundVerb{.verb = verb, .word_count = 2};
  }
  if (words.size() > 1) {
    if (const Verb* verb = verb_named(first + ' ' + words[1])) return FoundVerb{.verb = verb, .word_count = 2};
  }
  if (const Verb* verb = verb_named(first)) return FoundVerb{.verb = verb, .word_count = 1};
  if (!second_words(first).empty()) return unknown_second_word(first, words);

  std::vector<std::string_view> names{"scheduler"};
  for (const Verb* verb : all_verbs) names.push_back(verb->name.substr(0, verb->name.find(' ')));
  const std::string_view nearest = nearest_word(first, names);
  return std::unexpected(usage_error(
      fmt::format("unknown command {}", carillon::quoted(first)),
      nearest.empty() ? "see all commands: carillon help" : fmt::format("did you mean carillon {}?", nearest)));
}

}  // namespace carillon::cli
