#include "cli/arguments.hpp"

#include "base/quoted.hpp"
#include "cli/failure.hpp"
#include "cli/printable.hpp"
#include "document/reader.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace carillon {

namespace {

constexpr std::array<Verb, 9> all_verbs{{
    {.name = "next",
     .targets = "EXPR",
     .summary = "Shows when a cron expression or a schedule runs next, clock changes included.",
     .examples = {"carillon next '0 9 * * 1-5' --tz America/New_York",
                  "carillon next '30 2 * * *' --tz Europe/Berlin --after 2027-03-27 -n 3",
                  "carillon next --spec nightly.yaml -o json"}},
    {.name = "describe",
     .targets = "EXPR",
     .summary = "Says in one sentence what a cron expression or a schedule means, and its next three runs.",
     .examples = {"carillon describe '*/15 9-17 * * 1-5' --tz America/New_York", "carillon describe '0 0 13 * 5'",
                  "carillon describe --spec nightly.yaml -o json"}},
    {.name = "lint",
     .targets = "EXPR|FILE|DIR...",
     .summary = "Finds what is legal and probably not meant in expressions, schedule files and folders of them.",
     .examples = {"carillon lint '0 9 1 * MON'", "carillon lint '30 2 * * *' --tz Europe/Berlin",
                  "carillon lint schedules/ -o json"}},
    {.name = "zones",
     .targets = "[PATTERN]",
     .summary = "Lists time zones: offset now, abbreviation, next clock change. PATTERN is any part of a name.",
     .examples = {"carillon zones berlin", "carillon zones america/ -o json", "carillon zones -q"}},
    {.name = "serve",
     .targets = "",
     .summary =
         "Runs schedules in the foreground, on a store in one folder. Ctrl-C stops it when running work has ended.",
     .examples = {"carillon serve --apply schedules/", "carillon serve --data /var/lib/carillon --workers 32",
                  "carillon serve --apply nightly.yaml --log json"}},
    {.name = "ledger",
     .targets = "export",
     .summary = "Prints what became of every due time, one JSON object a line; a running server is not disturbed.",
     .examples = {"carillon ledger export", "carillon ledger export --data /var/lib/carillon > ledger.jsonl",
                  "carillon ledger export | grep '\"skipped\"'"}},
    {.name = "version",
     .targets = "",
     .summary = "Prints the version of carillon, its compiler and the time zone data in use.",
     .examples = {"carillon version", "carillon version -o json", "carillon --version"}},
    {.name = "completion",
     .targets = "bash|zsh|fish|powershell",
     .summary = "Prints a script that completes verbs, flags and zone names in your shell.",
     .examples = {"source <(carillon completion bash)", "carillon completion zsh > ~/.zfunc/_carillon",
                  "carillon completion fish > ~/.config/fish/completions/carillon.fish"}},
    {.name = "help",
     .targets = "[TOPIC]",
     .summary = "Explains a verb or a topic: exit-codes, json, times, lint-codes.",
     .examples = {"carillon help next", "carillon help exit-codes", "carillon help json"}},
}};

/// The options of one verb, and the arguments they fill.
class VerbOptions {
 public:
  explicit VerbOptions(const Verb& verb)
      : app_{std::string{verb.summary},
             fmt::format("carillon {}{}{}", verb.name, verb.targets.empty() ? "" : " ", verb.targets)} {
    app_.set_help_flag();
    app_.allow_extras();
    app_.get_formatter()->column_width(26);
    app_.footer(fmt::format("Examples:\n  {}", fmt::join(verb.examples, "\n  ")));
    define(verb.name);
    flag("-h,--help", "print this help", arguments_.wants_help);
  }

  void parse(std::vector<std::string> words) {
    // CLI11 takes its words from the back.
    std::ranges::reverse(words);
    app_.parse(std::move(words));
  }

  [[nodiscard]] const CLI::App& app() const { return app_; }
  [[nodiscard]] Arguments& arguments() { return arguments_; }

 private:
  void define(std::string_view verb) {
    if (verb == "next") define_next();
    if (verb == "describe") define_describe();
    if (verb == "lint") define_lint();
    if (verb == "zones") define_zones();
    if (verb == "version") define_version();
    if (verb == "serve") define_serve();
    if (verb == "ledger") data_option();
  }

  void define_next() {
    spec_options();
    value("--display-tz", "ZONE", "zone in which times are shown; default: the zone of the spec",
          arguments_.display_timezone);
    value("--after", "TIME", "only what comes after it; default: now", arguments_.after);
    value("--before", "TIME", "what came before it, newest first", arguments_.before);
    value("--until", "TIME", "stop there: at this time or later nothing is shown", arguments_.until);
    value("-n,--count", "N", "how many, 1 to 100000; default: 5, with --until all", arguments_.count);
    flag("--batch", "answer questions from standard input, one JSON object a line", arguments_.is_batch);
    output_options("table|wide|json|jsonl|yaml|csv");
    fields_option();
  }

  void define_describe() {
    spec_options();
    output_options("text|json");
  }

  void define_lint() {
    value("--tz", "ZONE", "zone of an expression, and of files that name none; default: UTC", arguments_.timezone);
    output_options("text|json|jsonl|yaml|csv");
    fields_option();
  }

  void define_zones() {
    flag("--all", "old names too, such as US/Pacific", arguments_.wants_all);
    flag("-q,--quiet", "names only", arguments_.is_quiet);
    output_options("table|json|jsonl|yaml|csv");
    fields_option();
  }

  void define_version() { output_options("text|json|yaml"); }

  void define_serve() {
    data_option();
    values("--apply", "PATH", "create or update the schedules of a file or a folder; may be given again",
           arguments_.applied);
    value("--workers", "N", "runs at a time, 1 to 10000; default: 16", arguments_.worker_count);
    values("--allow-egress", "CIDR", "let http actions reach these private addresses; may be given again",
           arguments_.allowed_egress);
    value("--stop-timeout", "DURATION", "how long running work may take after Ctrl-C; default: 30s",
          arguments_.stop_timeout);
    value("--log", "text|json", "form of the log on standard error; default: text", arguments_.log_form);
    value("--listen", "HOST:PORT", "address of the API; port 0 is any; default: 127.0.0.1:7070", arguments_.listen);
    value("--tls-cert", "FILE", "certificate of the API, PEM; read again on SIGHUP", arguments_.certificate_file);
    value("--tls-key", "FILE", "its key, PEM, readable to its owner only", arguments_.key_file);
    flag("--insecure", "let other machines in without TLS, because something in front does it", arguments_.is_insecure);
    values("--allow-host", "NAME", "host name the API answers for; may be given again", arguments_.allowed_hosts);
    values("--allow-origin", "ORIGIN", "web pages of this origin may call the API; may be given again",
           arguments_.allowed_origins);
    value("--metrics-schedules", "N", "schedules with series of their own, 0 to 10000; default: 200",
          arguments_.metrics_schedule_count);
  }

  void data_option() { value("--data", "DIR", "folder of the store; default: ./carillon-data", arguments_.data); }

  void spec_options() {
    value("--spec", "FILE", "read a spec or a schedule from a YAML or JSON file; - is standard input",
          arguments_.spec_file);
    value("--id", "ID", "the schedule to take from a file that has several", arguments_.schedule_id);
    value("--tz", "ZONE", "zone of the expression, and of a file that names none; default: UTC", arguments_.timezone);
  }

  void output_options(const std::string& formats) {
    value("-o,--output", formats, "form of the answer", arguments_.output);
    value("--color", "auto|always|never", "colours; auto: on a terminal", arguments_.colour);
  }

  void fields_option() {
    value("--json", "FIELDS", "JSON with these members only, for example: local,note", arguments_.fields);
  }

  void value(const std::string& names, const std::string& form, const std::string& text,
             std::optional<std::string>& target) {
    // Texts are taken raw, so that the library gives no meaning to brackets and the like.
    app_.add_option_function<std::string>(
            names, [&target](const std::string& word) { target = word; }, text)
        ->option_text(form);
  }

  void values(const std::string& names, const std::string& form, const std::string& text,
              std::vector<std::string>& target) {
    app_.add_option_function<std::vector<std::string>>(
            names, [&target](const std::vector<std::string>& words) { target = words; }, text)
        ->option_text(form)
        ->allow_extra_args(false)
        ->take_all();
  }

  void flag(const std::string& names, const std::string& text, bool& target) {
    app_.add_flag_callback(names, [&target] { target = true; }, text);
  }

  CLI::App app_;
  Arguments arguments_;
};

std::vector<Flag> flags_of(const CLI::App& app) {
  std::vector<Flag> flags;
  for (const CLI::Option* option : app.get_options()) {
    const bool takes_value = option->get_expected_max() > 0 && option->get_type_size() > 0;
    for (const auto& [names, dashes] : {std::pair{option->get_lnames(), "--"}, std::pair{option->get_snames(), "-"}}) {
      for (const std::string& name : names) {
        flags.push_back({.name = dashes + name, .description = option->get_description(), .takes_value = takes_value});
      }
    }
  }
  return flags;
}

std::string nearest_flag(const CLI::App& app, std::string_view word) {
  const std::vector<Flag> flags = flags_of(app);
  std::vector<std::string_view> names;
  for (const Flag& flag : flags) names.push_back(flag.name);
  return std::string{nearest_word(word.substr(0, word.find('=')), names)};
}

Error unknown_flag(const Verb& verb, const CLI::App& app, std::string_view word) {
  const std::string nearest = nearest_flag(app, word);
  return usage_error(fmt::format("{} is no flag of {}", quoted(word), verb.name),
                     nearest.empty() ? fmt::format("carillon {} --help lists them", verb.name)
                                     : fmt::format("did you mean {}?", nearest));
}

bool looks_like_flag(std::string_view word) { return word.size() > 1 && word.front() == '-'; }

/// In our words what the library says about flags it cannot use; its texts begin with the name of the flag.
std::string misuse(const CLI::ParseError& error) {
  const std::string_view text = error.what();
  const std::string_view name = text.substr(0, text.find(':'));
  if (text.ends_with("missing")) return fmt::format("{} needs a value", name);
  if (text.contains("received")) return fmt::format("{} is given more than once", name);
  return std::string{text.substr(0, text.find('\n'))};
}

}  // namespace

std::span<const Verb> verbs() { return all_verbs; }

Result<const Verb*> find_verb(std::string_view name) {
  const auto found = std::ranges::find(all_verbs, name, &Verb::name);
  if (found != all_verbs.end()) return &*found;
  std::vector<std::string_view> names;
  for (const Verb& verb : all_verbs) names.push_back(verb.name);
  const std::string_view nearest = nearest_word(name, names);
  return std::unexpected(
      usage_error(fmt::format("{} is no command of carillon", quoted(name)),
                  nearest.empty() ? "carillon help lists them" : fmt::format("did you mean carillon {}?", nearest)));
}

Result<Arguments> parse_arguments(const Verb& verb, std::span<const std::string> words) {
  const auto end_of_flags = std::ranges::find(words, "--");
  VerbOptions options{verb};
  try {
    options.parse({words.begin(), end_of_flags});
  } catch (const CLI::ParseError& error) {
    return std::unexpected(
        usage_error(printable(misuse(error), 200), fmt::format("carillon {} --help shows how it is used", verb.name)));
  }
  Arguments& arguments = options.arguments();
  if (arguments.wants_help) return std::move(arguments);
  for (const std::string& word : options.app().remaining()) {
    if (looks_like_flag(word)) return std::unexpected(unknown_flag(verb, options.app(), word));
    arguments.targets.push_back(word);
  }
  if (end_of_flags != words.end()) arguments.targets.insert(arguments.targets.end(), end_of_flags + 1, words.end());
  return std::move(arguments);
}

std::string help_text(const Verb& verb) { return VerbOptions{verb}.app().help(); }

std::vector<Flag> flags_of(const Verb& verb) { return flags_of(VerbOptions{verb}.app()); }

}  // namespace carillon
