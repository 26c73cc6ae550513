#include "base/quoted.hpp"
#include "cli/command_line/command_error.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/connection/session.hpp"
#include "cli/terminal/printable.hpp"
#include "files/private_file.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>

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

constexpr std::array<Example, 4> examples{{{.name = "hello.yaml", .text = hello},
                                           {.name = "webhook.yaml", .text = webhook},
                                           {.name = "README.md", .text = readme},
                                           {.name = ".gitignore", .text = "carillon-data/\n*.token\n"}}};

Result<> refuse_to_overwrite(const fs::path& folder) {
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

Result<ExitCode> init_command(const Arguments& arguments, Session& session) {
  if (arguments.targets.size() > 1) return std::unexpected(usage_error("give one folder only", "carillon init hello"));
  const fs::path folder = arguments.targets.empty() ? fs::path{"."} : fs::path{arguments.targets.front()};
  TRY(refuse_to_overwrite(folder));
  std::error_code error;
  fs::create_directories(folder, error);
  for (const Example& example : examples) {
    TRY(write_new_file(folder / example.name, example.text));
  }
  const bool is_here = folder == fs::path{"."};
  session.print(fmt::format("hello.yaml, webhook.yaml, README.md and .gitignore are in {}\n",
                            is_here ? "this folder" : printable(folder.string())));
  session.print(fmt::format("Next: {}carillon serve --apply .\n",
                            is_here ? "" : fmt::format("cd {} && ", printable(folder.string()))));
  return ExitCode::ok;
}

}  // namespace

const Verb init_verb{
    .name = "init",
    .targets = "[DIR]",
    .summary = "Writes two example schedules and a README into a folder; never overwrites a file.",
    .examples = {"carillon init hello && cd hello", "carillon init",
                 "carillon serve --apply hello --data hello/carillon-data"},
    .group = VerbGroup::yourself,
    .perform = init_command,
    .completes = Completes::files,
};

}  // namespace carillon::cli
