#include "cli/commands/completion_candidates.hpp"

#include "cli/command_line/help_topics.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/connection/server_connection.hpp"
#include "cli/settings/settings_file.hpp"
#include "definitions/words.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <set>

namespace carillon::cli {

namespace {

using Words = std::span<const std::string>;

constexpr Duration completion_timeout = std::chrono::milliseconds{200};
constexpr std::size_t name_count_max = 500;
constexpr std::size_t time_count_max = 20;

/// Gives up early: somebody waits for the answer with a finger on the key.
class ShortTimeoutTransport final : public Transport {
 public:
  explicit ShortTimeoutTransport(Transport& transport) : transport_{transport} {}
  Result<ServerAnswer> perform(const ServerRequest& request) override {
    return transport_.perform(with_short_timeout(request));
  }
  Result<ServerAnswer> stream(const ServerRequest& request, const Sink& sink) override {
    return transport_.stream(with_short_timeout(request), sink);
  }

 private:
  static ServerRequest with_short_timeout(ServerRequest request) {
    request.timeout = completion_timeout;
    return request;
  }
  Transport& transport_;
};

std::vector<std::string> parts_of(std::string_view form) {
  std::vector<std::string> parts;
  while (!form.empty()) {
    const std::string_view part = form.substr(0, form.find('|'));
    parts.emplace_back(part);
    form.remove_prefix(std::min(form.size(), part.size() + 1));
  }
  return parts;
}

/// The first words of all commands, or the second ones behind a first.
std::vector<std::string> next_words(std::string_view first) {
  std::set<std::string> words;
  if (first.empty()) words.insert("scheduler");
  for (const Verb* verb : verbs()) {
    const std::size_t blank = verb->name.find(' ');
    if (first.empty()) words.emplace(verb->name.substr(0, blank));
    if (blank != std::string_view::npos && verb->name.substr(0, blank) == first)
      words.emplace(verb->name.substr(blank + 1));
    const std::array<std::string, 2> behind{"scheduler", std::string{verb->name}};
    if (first == "scheduler" && find_verb(behind)) words.emplace(verb->name);
  }
  return {words.begin(), words.end()};
}

std::vector<std::string> zone_names(Session& session) {
  const auto names = session.zones.names();
  return {names->names.begin(), names->names.end()};
}

std::vector<std::string> context_names(const Session& session) {
  std::set<std::string> names;
  if (const auto files = read_settings_files(session.console)) {
    for (const SettingsFile& file : *files) {
      for (const auto& [name, context] : file.contexts) names.insert(name);
    }
  }
  return {names.begin(), names.end()};
}

enum class ServerNames { schedules, runs, queues, namespaces, times };

template <typename List, typename Name>
std::vector<std::string> names_in(const Result<List>& found, Name name) {
  std::vector<std::string> names;
  if (!found) return names;
  for (const auto& item : found->items) names.push_back(std::invoke(name, item));
  return names;
}

/// Those of the schedules that the token knows.
std::vector<std::string> namespaces_in(const Result<client::ListAnswer<client::Schedule>>& found) {
  std::set<std::string> names;
  if (found) {
    for (const client::Schedule& schedule : found->items) names.insert(schedule.name_space);
  }
  return {names.begin(), names.end()};
}

/// What may follow `why NAME`: the newest times of the schedule.
std::vector<std::string> times_in(const Result<client::ListAnswer<client::Run>>& found) {
  std::vector<std::string> times;
  if (!found) return times;
  for (const client::Run& run : found->items)
    if (run.nominal && std::ranges::find(times, to_text(*run.nominal)) == times.end())
      times.push_back(to_text(*run.nominal));
  return times;
}

/// Names that a server knows. What is already written of the command line says which server.
std::vector<std::string> server_names(const Arguments& arguments, ServerNames kind, Session& session) {
  if (!arguments.knows("debug") || arguments.has("debug")) return {};
  ShortTimeoutTransport quick{session.transport};
  Session own{.console = session.console,
              .zones = session.zones,
              .server = session.server,
              .transport = quick,
              .now = session.now,
              .paint = session.paint};
  auto client = connect(arguments, own);
  if (!client) return {};
  switch (kind) {
    case ServerNames::schedules: return names_in(client->list_schedules({}, name_count_max), &client::Schedule::id);
    case ServerNames::runs: return names_in(client->list_runs({}, name_count_max), &client::Run::id);
    case ServerNames::namespaces: return namespaces_in(client->list_schedules({}, name_count_max));
    case ServerNames::times:
      return times_in(client->list_runs_of(arguments.targets.front(), "", {{"decisions", "true"}}, time_count_max));
    case ServerNames::queues: return names_in(client->list_queues(), &client::Queue::name);
  }
  std::unreachable();
}

const FlagSpec* flag_named(const FlagSpecs& flags, std::string_view word) {
  const auto has_name = [&](const FlagSpec& flag) {
    std::string_view names = flag.names;
    while (!names.empty()) {
      const std::string_view name = names.substr(0, names.find(','));
      if (name == word) return true;
      names.remove_prefix(std::min(names.size(), name.size() + 1));
    }
    return false;
  };
  const auto found = std::ranges::find_if(flags, has_name);
  return found == flags.end() ? nullptr : &*found;
}

std::vector<std::string> as_texts(std::span<const std::string_view> words) { return {words.begin(), words.end()}; }

/// What a flag of this name may be, whichever verb has it; empty: anything.
std::vector<std::string> known_values(std::string_view names) {
  if (names.ends_with("--overlap")) return as_texts(words_of<OverlapPolicy>());
  if (names.ends_with("--catchup")) return as_texts(words_of<CatchupPolicy>());
  if (names.ends_with("--backoff")) return as_texts(words_of<Backoff>());
  if (names.ends_with("--status")) {
    std::vector<std::string> statuses = as_texts(words_of<ScheduleStatus>());
    statuses.emplace_back("failing");
    return statuses;
  }
  if (names.ends_with("--state")) {
    std::vector<std::string> states = as_texts(words_of<RunState>());
    states.emplace_back("skipped");
    return states;
  }
  if (names.ends_with("--source")) return as_texts(words_of<Source>());
  if (names.ends_with("--role")) return {"viewer", "operator", "editor", "admin", "worker"};
  if (names.ends_with("--reprocess")) return as_texts(words_of<Reprocess>());
  if (names.ends_with("--order")) return as_texts(words_of<BackfillOrder>());
  return {};
}

/// The last of several words between commas is being written: `failed,lo` may become `failed,lost`.
std::vector<std::string> after_commas(std::string_view form, const std::string& current,
                                      std::vector<std::string> words) {
  const std::size_t comma = current.rfind(',');
  if (form != "WORDS" || comma == std::string::npos) return words;
  for (std::string& word : words) word.insert(0, current.substr(0, comma + 1));
  return words;
}

Candidates value_candidates(const FlagSpec& flag, const Arguments& arguments, const std::string& current,
                            Session& session) {
  const std::string_view form = flag.form;
  if (form.contains('|')) return {.words = parts_of(form)};
  if (form == "FILE" || form == "DIR" || form == "PATH") return {.has_files = true};
  if (flag.names.contains("-tz")) return {.words = zone_names(session)};
  if (flag.names == "--context") return {.words = context_names(session)};
  if (flag.names.ends_with("--schedule")) return {.words = server_names(arguments, ServerNames::schedules, session)};
  if (flag.names.ends_with("--namespace")) return {.words = server_names(arguments, ServerNames::namespaces, session)};
  if (auto values = known_values(flag.names); !values.empty())
    return {.words = after_commas(form, current, std::move(values))};
  if (flag.names.ends_with("--queue")) return {.words = server_names(arguments, ServerNames::queues, session)};
  return {};
}

Candidates help_candidates(Words words) {
  Candidates found{.words = next_words(words.empty() ? "" : words.front())};
  if (!words.empty()) return found;
  for (const Topic& topic : topics()) found.words.emplace_back(topic.name);
  return found;
}

bool takes_one_name(const Verb& verb) {
  constexpr std::array<std::string_view, 4> forms{"SCHEDULE", "RUN", "SCHEDULE|RUN", "SCHEDULE [TIME]"};
  return std::ranges::find(forms, verb.targets) != forms.end();
}

Candidates target_candidates(const Verb& verb, const Arguments& arguments, Words words, Session& session) {
  if (verb.name == "context use" || verb.name == "context show" || verb.name == "context remove")
    return {.words = context_names(session)};
  if (verb.name.starts_with("config ") && words.empty() && !verb.targets.empty())
    return {.words = {"server", "tokenFile", "caFile", "namespace", "timezone", "currentContext"}};
  if (verb.targets.contains("[TIME]") && arguments.targets.size() == 1)
    return {.words = server_names(arguments, ServerNames::times, session)};
  if (takes_one_name(verb) && !arguments.targets.empty()) return {};
  switch (verb.completes) {
    case Completes::schedules: return {.words = server_names(arguments, ServerNames::schedules, session)};
    case Completes::runs: return {.words = server_names(arguments, ServerNames::runs, session)};
    case Completes::queues: return {.words = server_names(arguments, ServerNames::queues, session)};
    case Completes::files: return {.has_files = true};
    case Completes::zones: return {.words = zone_names(session)};
    case Completes::verbs: return help_candidates(words);
    case Completes::nothing: break;
  }
  // `bash|zsh|fish`, but not `COMMAND|TOPIC`.
  const bool is_choice = verb.targets.contains('|') && !verb.targets.starts_with('[');
  return is_choice && words.empty() ? Candidates{.words = parts_of(verb.targets)} : Candidates{};
}

Candidates all_candidates(Words words, const std::string& current, Session& session) {
  if (words.empty()) return {.words = next_words("")};
  const auto found = find_verb(words);
  const bool is_first = words.size() == 1;
  if (!found) return is_first ? Candidates{.words = next_words(words.front())} : Candidates{};

  const Verb& verb = *found->verb;
  const Words rest = words.subspan(found->word_count);
  const FlagSpecs flags = verb.flags != nullptr ? verb.flags() : FlagSpecs{};
  const FlagSpec* previous = rest.empty() ? nullptr : flag_named(flags, rest.back());
  const bool is_value = previous != nullptr && !previous->form.empty();
  const auto arguments = parse_arguments(verb, is_value ? rest.first(rest.size() - 1) : rest);
  if (!arguments) return {};
  if (is_value) return value_candidates(*previous, *arguments, current, session);
  if (current.starts_with('-')) {
    Candidates names;
    for (const Flag& flag : flags_of(verb)) names.words.push_back(flag.name);
    return names;
  }
  Candidates candidates = target_candidates(verb, *arguments, arguments->targets, session);
  // `audit` may go on with a word of its own: `audit verify`.
  if (is_first) {
    for (std::string& word : next_words(words.front())) candidates.words.push_back(std::move(word));
  }
  return candidates;
}

}  // namespace

Candidates completion_candidates(Words words, Session& session) {
  if (words.empty()) return {};
  const std::string& current = words.back();
  Candidates found = all_candidates(words.first(words.size() - 1), current, session);
  std::erase_if(found.words, [&](const std::string& word) { return word.empty() || !word.starts_with(current); });
  return found;
}

}  // namespace carillon::cli
