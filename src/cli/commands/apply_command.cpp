#include "cli/command_line/command_error.hpp"
#include "cli/command_line/flag_sets.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/display/document_output.hpp"
#include "cli/user_definitions/apply_definitions.hpp"

namespace carillon::cli {

namespace {

Result<ExitCode> apply_command(const Arguments& arguments, Session& session) {
  const auto& labels = arguments.values("label");
  if (arguments.has("prune") == labels.empty())
    return std::unexpected(
        usage_error("--prune and --label must be used together",
                    "--prune --label team=data deletes schedules with that label that are in no file"));
  const DefinitionFiles files = TRY(read_definitions(arguments.targets, session));
  if (files.is_sound()) return apply_definitions(files.schedules, labels, arguments, session);
  print_faults(files, session);
  session.console.write_error("nothing was sent\n");
  return ExitCode::invalid;
}

}  // namespace

const Verb apply_verb{
    .name = "apply",
    .targets = "FILE|DIR...",
    .summary =
        "Creates and updates schedules to match files; leaves unchanged ones alone. PATH - reads standard input.",
    .examples = {"carillon apply schedules/", "carillon apply schedules/ --dry-run",
                 "carillon apply schedules/ --prune --label team=data --yes"},
    .group = VerbGroup::schedules,
    .flags =
        [] {
          return joined(
              {{{.names = "--prune", .form = {}, .text = "delete schedules that have the label and are in no file"},
                {.names = "-l,--label",
                 .form = "KEY=VALUE",
                 .text = "which schedules --prune may delete; repeatable",
                 .may_repeat = true}},
               dry_run_flag(),
               asking_flags(),
               output_flags(list_formats),
               server_flags()});
        },
    .perform = apply_command,
    .completes = Completes::files,
};

}  // namespace carillon::cli
