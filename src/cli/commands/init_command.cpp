#include "base/quoted.hpp"
#include "cli/command_line/command_error.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/connection/session.hpp"
#include "cli/terminal/printable.hpp"
#include "files/private_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <span>

namespace carillon::cli {

namespace {

namespace fs = std::filesystem;

struct Example {
  std::string_view name;
  std::string_view text;
};

constexpr std::string_view hello = R"(# Every ten seconds: a command that prints its nominal time.
id: hello
spec:
  intervals: [{every: 10s, anchor: epoch}]
action:
  command: {argv: [/bin/sh, -c, 'echo "hello, it is $CARILLON_NOMINAL_TIME"']}
)";

constexpr std::string_view webhook =
    R"(# Weekdays at 9:00 in New York: an HTTP request with up to three attempts. Skipped while the previous one is active.
# Set your own url, remove the line `enabled`, and apply the file again.
id: webhook
enabled: false
spec:
  cron: "0 9 * * 1-5"
  timezone: America/New_York
action:
  http:
    url: https://example.com/hook
    method: POST
policies:
  overlap: skip
  retry: {maxAttempts: 3, initial: 1m}
)";

constexpr std::string_view readme = R"(# Schedules

    carillon serve --apply .     # runs these schedules; Ctrl-C stops it

In a second terminal, in this folder:

    carillon list                # schedules, next starts, last results
    carillon next '0 9 * * 1-5' --tz America/New_York
    carillon lint .              # finds probable mistakes
    carillon doctor              # finds problems and how to fix them

- `hello.yaml` prints a greeting every ten seconds.
- `webhook.yaml` sends a request on weekdays; it is disabled until you set your own url.
- `carillon-data/` holds the store: what ran, what was skipped and why. Keep it out of version control.

Next: `carillon help getting-started`.
)";

constexpr std::string_view report =
    R"(# Every weekday at nine in New York: one question for each bug, one report from all answers.
name: "Daily Bug Report"
description: "Generate daily bug triage report"

schedule:
  cron: "0 9 * * 1-5"
  timezone: "America/New_York"
  retryPolicy:
    maxRetries: 3
    retryDelayMs: 60000
  missedExecution: "run"

input:
  from:
    type: csv
    path: "bugs.csv"

map:
  prompt: "Analyze bug: {{title}}"
  output: [severity, category]

reduce:
  type: json
)";

constexpr std::string_view bugs = R"(id,title
1,Login fails after password reset
2,Typo on the pricing page
3,"Export stops at 10,000 rows"
)";

constexpr std::string_view answers =
    R"(# Answers for `carillon pipeline run --mock`: the first rule whose text is part of the prompt.
rules:
  - {contains: Login, answer: '{"severity": "high", "category": "accounts"}'}
  - {contains: Typo, answer: '{"severity": "low", "category": "website"}'}
default: '{"severity": "medium", "category": "other"}'
)";

constexpr std::string_view pipeline_readme = R"(# A pipeline

    carillon pipeline validate                                             # every error, with its line
    carillon pipeline run pipelines/daily-report --dry-run                 # what would be asked
    carillon pipeline run pipelines/daily-report --mock answers.yaml       # answers from a file: no key, no cost

- `pipelines/daily-report/pipeline.yaml` asks one question for each row of `bugs.csv` and writes one report.
- `answers.yaml` stands in for a provider.
)";

constexpr std::array<Example, 4> schedule_examples{{{.name = "hello.yaml", .text = hello},
                                                    {.name = "webhook.yaml", .text = webhook},
                                                    {.name = "README.md", .text = readme},
                                                    {.name = ".gitignore", .text = "carillon-data/\n*.token\n"}}};
constexpr std::array<Example, 5> pipeline_examples{
    {{.name = "pipelines/daily-report/pipeline.yaml", .text = report},
     {.name = "pipelines/daily-report/bugs.csv", .text = bugs},
     {.name = "answers.yaml", .text = answers},
     {.name = "README.md", .text = pipeline_readme},
     {.name = ".gitignore", .text = ".carillon/\n.results/\n.schedule-state.json\n.scheduler.lock\n*.token\n"}}};

/// What `--example` may name.
struct ExampleSet {
  std::string_view name;
  std::span<const Example> files;
  std::string_view next;  // the command to go on with
};
constexpr std::array<ExampleSet, 2> example_sets{
    {{.name = "schedules", .files = schedule_examples, .next = "carillon serve --apply ."},
     {.name = "pipeline",
      .files = pipeline_examples,
      .next = "carillon pipeline run pipelines/daily-report --mock answers.yaml"}}};

Result<ExampleSet> example_set(const std::optional<std::string>& name) {
  if (!name) return example_sets.front();
  const auto found = std::ranges::find(example_sets, *name, &ExampleSet::name);
  if (found != example_sets.end()) return *found;
  return std::unexpected(
      usage_error(fmt::format("--example: unknown value {}", carillon::quoted(*name)), "schedules or pipeline"));
}

Result<> refuse_to_overwrite(const fs::path& folder, std::span<const Example> examples) {
  for (const Example& example : examples) {
    const fs::path file = folder / example.name;
    std::error_code unknown;
    if (!fs::exists(fs::symlink_status(file, unknown))) continue;
    return std::unexpected(
        Error{.code = ErrorCode::conflict,
              .message = fmt::format("{} already exists; nothing was written", carillon::quoted(file.string())),
              .hint = "choose a new folder: carillon init hello",
              .rule = "exists",
              .position = {},
              .context = {}});
  }
  return {};
}

std::string names_of(std::span<const Example> examples) {
  std::string names{examples.front().name};
  for (const Example& example : examples.subspan(1))
    names += fmt::format("{}{}", &example == &examples.back() ? " and " : ", ", example.name);
  return names;
}

Result<ExitCode> init_command(const Arguments& arguments, Session& session) {
  if (arguments.targets.size() > 1) return std::unexpected(usage_error("give one folder only", "carillon init hello"));
  const ExampleSet set = TRY(example_set(arguments.value("example")));
  const fs::path folder = arguments.targets.empty() ? fs::path{"."} : fs::path{arguments.targets.front()};
  TRY(refuse_to_overwrite(folder, set.files));
  for (const Example& example : set.files) {
    const fs::path file = folder / example.name;
    std::error_code error;
    fs::create_directories(file.parent_path(), error);
    TRY(write_new_file(file, example.text));
  }
  const bool is_here = folder == fs::path{"."};
  session.print(
      fmt::format("{} are in {}\n", names_of(set.files), is_here ? "this folder" : printable(folder.string())));
  session.print(
      fmt::format("Next: {}{}\n", is_here ? "" : fmt::format("cd {} && ", printable(folder.string())), set.next));
  return ExitCode::ok;
}

}  // namespace

const Verb init_verb{
    .name = "init",
    .targets = "[DIR]",
    .summary = "Writes two example schedules, or a pipeline, and a README into a folder; never overwrites a file.",
    .examples = {"carillon init hello && cd hello", "carillon init --example pipeline reports",
                 "carillon serve --apply hello --data hello/carillon-data"},
    .group = VerbGroup::yourself,
    .flags =
        [] { return FlagSpecs{{.names = "--example", .form = "NAME", .text = "schedules (the default) or pipeline"}}; },
    .perform = init_command,
    .completes = Completes::files,
};

}  // namespace carillon::cli
