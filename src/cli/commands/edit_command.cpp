#include "cli/command_line/command_error.hpp"
#include "cli/command_line/flag_sets.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/connection/schedule_requests.hpp"
#include "cli/connection/server_connection.hpp"
#include "cli/display/document_output.hpp"
#include "cli/terminal/editor.hpp"
#include "cli/terminal/printable.hpp"
#include "cli/user_definitions/definition_change.hpp"
#include "cli/user_definitions/definition_flags.hpp"
#include "cli/user_definitions/definition_text.hpp"
#include "document/document.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace carillon::cli {

namespace {

namespace json = boost::json;

constexpr Duration window = std::chrono::days{7};

/// What was changed, or would be, from the two answers.
Result<ExitCode> show_change(const Arguments& arguments, Session& session, DefinitionChange change) {
  const bool is_dry_run = arguments.has("dry-run");
  if (TRY(print_document(arguments, session, change.after.document))) return ExitCode::ok;
  const bool is_equal = definition_in(change.before->document) == definition_in(change.after.document);
  change.kind = is_equal ? DefinitionChange::Kind::unchanged : DefinitionChange::Kind::updated;
  if (is_equal) {
    session.console.write_error(fmt::format("{} already is as requested; nothing was changed\n", printable(change.id)));
    return ExitCode::ok;
  }
  session.print(
      fmt::format("{}\n{}", session.paint(Colour::bold, printable(change.id)), change_text(change, window, session)));
  session.console.write_error(is_dry_run ? "dry run: nothing was changed\n" : "changed\n");
  return ExitCode::ok;
}

Result<ExitCode> patch(Client& client, const client::Answer<client::Schedule>& now, json::object changes,
                       const Arguments& arguments, Session& session) {
  const client::Schedule& schedule = now.value;
  auto patched = client.patch_schedule(schedule.id, schedule.name_space, changes, dry_run_query(arguments),
                                       {.if_match = now.etag});
  if (!patched) return std::unexpected(in_words_of_flags(std::move(patched).error(), arguments));
  auto answer = *std::move(patched);
  return show_change(arguments, session,
                     {.id = schedule.id,
                      .name_space = schedule.name_space,
                      .etag = now.etag,
                      .before = now,
                      .after = std::move(answer)});
}

/// The schedule the text defines: one, and the same one.
Result<DefinedSchedule> defined_in(const std::string& text, const client::Schedule& before, const EditedFile& file,
                                   Session& session) {
  DefinitionFiles files = read_definition_text(file.path(), text, session);
  if (!files.is_sound()) {
    print_faults(files, session);
    return fail(ErrorCode::invalid_argument, "the edited text is not a schedule");
  }
  const bool is_same =
      files.schedules.size() == 1 && files.schedules.front().id == before.id &&
      (files.schedules.front().name_space.empty() || files.schedules.front().name_space == before.name_space);
  if (!is_same) return fail(ErrorCode::invalid_argument, "the id and the namespace of a schedule cannot be changed");
  files.schedules.front().name_space = before.name_space;
  return std::move(files.schedules.front());
}

Result<ExitCode> replace(Client& client, const client::Answer<client::Schedule>& now, const std::string& text,
                         const EditedFile& file, const Arguments& arguments, Session& session) {
  const DefinedSchedule schedule = TRY(defined_in(text, now.value, file, session));
  DefinitionChange change = TRY(planned_change(client, schedule));
  // What was edited is what was read at the beginning, and not what somebody else has made of it since.
  change.etag = now.etag;
  change.before = now;
  if (change.kind != DefinitionChange::Kind::unchanged && !arguments.has("dry-run"))
    change.after = TRY(send(client, schedule, change));
  return show_change(arguments, session, std::move(change));
}

Result<ExitCode> edit_by_hand(Client& client, const client::Answer<client::Schedule>& now, const Arguments& arguments,
                              Session& session) {
  const std::string text = fmt::format("# Save and close to apply. Close without changes to cancel.\n{}",
                                       to_yaml(short_definition(now.document)));
  EditedFile file = TRY(EditedFile::make(text, session.console));
  const std::string edited = TRY(file.edit(session.console));
  if (edited == text || edited.find_first_not_of(" \t\r\n") == std::string::npos) {
    session.console.write_error("nothing was changed\n");
    return ExitCode::ok;
  }
  auto outcome = replace(client, now, edited, file, arguments, session);
  if (!outcome) {
    file.keep();
    outcome.error().hint = fmt::format("your edits are saved in {}", file.path());
  }
  return outcome;
}

Result<ExitCode> edit_command(const Arguments& arguments, Session& session) {
  if (arguments.targets.empty())
    return std::unexpected(usage_error("no schedule name given", "carillon edit nightly-etl --cron '0 3 * * *'"));
  TRY(wants_text(arguments));
  Client client = TRY(connect(arguments, session));
  const auto now = TRY(find_schedule(client, arguments.targets.front()));
  const std::string zone = arguments.value("tz").value_or(now.value.spec.timezone);
  json::object changes =
      TRY(definition_from(arguments, std::span{arguments.targets}.subspan(1), DefinitionUse::edit, zone, session));
  if (const auto name = arguments.value("name")) changes["name"] = *name;
  if (!changes.empty()) return patch(client, now, std::move(changes), arguments, session);
  const bool has_editor = session.console.is_terminal(Stream::output) || session.console.environment("VISUAL") ||
                          session.console.environment("EDITOR");
  if (arguments.has("no-input") || !has_editor)
    return std::unexpected(usage_error("no changes given", "for example: --cron '0 3 * * *', --timeout 10m"));
  return edit_by_hand(client, now, arguments, session);
}

}  // namespace

const Verb edit_verb{
    .name = "edit",
    .targets = "NAME [-- COMMAND...]",
    .summary = "Changes a schedule with flags, or, without flags, in your editor ($VISUAL, $EDITOR).",
    .examples = {"carillon edit nightly-etl --cron '0 3 * * *'",
                 "carillon edit nightly-etl --timeout 10m --attempts 3 --label team=data --dry-run",
                 "carillon edit nightly-etl"},
    .group = VerbGroup::schedules,
    .flags =
        [] {
          return joined({definition_flags(),
                         {{.names = "--name", .form = "TEXT", .text = "new name; the id does not change"},
                          {.names = "--no-input", .form = {}, .text = "fail instead of opening an editor"}},
                         dry_run_flag(),
                         output_flags(document_formats),
                         server_flags()});
        },
    .perform = edit_command,
    .completes = Completes::schedules,
};

}  // namespace carillon::cli
