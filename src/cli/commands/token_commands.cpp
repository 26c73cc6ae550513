#include "base/duration_text.hpp"
#include "base/quoted.hpp"
#include "cli/command_line/command_error.hpp"
#include "cli/command_line/flag_sets.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/connection/server_connection.hpp"
#include "cli/display/document_output.hpp"
#include "cli/settings/new_private_file.hpp"
#include "cli/terminal/formatting.hpp"
#include "cli/terminal/printable.hpp"

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace carillon::cli {

namespace {

Cell token_state(const client::Token& token, Instant now) {
  if (token.revoked_at) return {.text = "revoked", .colour = Colour::dim};
  if (token.expires_at && *token.expires_at <= now) return {.text = "ended", .colour = Colour::dim};
  return {.text = "valid", .colour = Colour::green};
}

/// The role, and whether an editor may define commands too.
std::string role_text(const client::Token& token) {
  const bool is_named = token.role != "admin" && token.may_execute;
  return printable(token.role) + (is_named ? "+execute" : "");
}

std::string table_of(const std::vector<client::Token>& tokens, const Zone& zone, const Session& session) {
  Table table;
  table.add({heading("ID"), heading("NAME"), heading("ROLE"), heading("NAMESPACE"), heading("CREATED"),
             heading("EXPIRES"), heading("STATE")});
  for (const client::Token& token : tokens) {
    const auto end = token.expires_at;
    table.add({{.text = printable(token.id)},
               {.text = printable(token.name)},
               {.text = role_text(token)},
               {.text = token.name_space.empty() ? "all" : printable(token.name_space)},
               {.text = short_time_text(token.created_at, zone, session.now)},
               {.text = end ? short_time_text(*end, zone, session.now) : "never"},
               token_state(token, session.now)});
  }
  return table.text(session.paint, "", "  ");
}

Result<ExitCode> token_list_command(const Arguments& arguments, Session& session) {
  const DisplayZone display = TRY(display_zone(arguments, session));
  const ZonePtr zone = display.zone ? display.zone : TRY(session.zones.zone("UTC"));
  Client client = TRY(connect(arguments, session));
  const auto tokens = TRY(client.list_tokens());
  if (TRY(print_documents(arguments, session, tokens.documents))) return ExitCode::ok;
  session.print(table_of(tokens.items, *zone, session));
  return ExitCode::ok;
}

Result<boost::json::object> token_request(const Arguments& arguments) {
  const std::string name = TRY(one_target(arguments, "the token", "carillon token create wallboard --role viewer"));
  const auto role = arguments.value("role");
  if (!role)
    return std::unexpected(usage_error("--role is missing", "give --role viewer, operator, editor, admin or worker"));
  boost::json::object request{{"name", name}, {"role", *role}};
  if (arguments.has("execute")) request["execute"] = true;
  if (const auto name_space = arguments.value("namespace")) request["namespace"] = *name_space;
  if (const auto expires = arguments.value("expires"); expires && *expires != "never") {
    if (!parse_duration(*expires))
      return std::unexpected(usage_error(fmt::format("--expires: invalid duration {}", carillon::quoted(*expires)),
                                         "give how long it is valid, for example 90d or 12h"));
    request["expiresIn"] = *expires;
  }
  return request;
}

/// What people should know about it; the secret itself is on standard output.
std::string token_notice(const client::Token& token) {
  return fmt::format(
      "token {} with role {}, {}, expires {}; its secret is shown only once\n", printable(token.id), role_text(token),
      token.name_space.empty() ? "all namespaces" : fmt::format("namespace {}", printable(token.name_space)),
      token.expires_at ? to_text(*token.expires_at) : "never");
}

Result<ExitCode> token_create_command(const Arguments& arguments, Session& session) {
  const auto request = TRY(token_request(arguments));
  Client client = TRY(connect(arguments, session));
  const auto path = arguments.value("out");
  std::optional<NewPrivateFile> file;
  if (path) file.emplace(TRY(NewPrivateFile::create(*path)));
  const auto answer = TRY(client.create_token(request));
  const std::string secret = answer.value.secret + '\n';
  session.console.write_error(token_notice(answer.value));
  if (file) {
    TRY(file->keep(secret));
    session.console.write_error(fmt::format("written to {}, readable only by you\n", printable(*path)));
    return ExitCode::ok;
  }
  if (!TRY(print_document(arguments, session, answer.document))) session.console.write(secret);
  return ExitCode::ok;
}

/// The id of the token that a word means: an id, the beginning of one, or the name of exactly one that is valid.
Result<std::string> token_named(const std::vector<client::Token>& tokens, std::string_view word) {
  std::vector<std::string> ids;
  for (const client::Token& token : tokens) {
    if (token.id == word) return token.id;
    if (token.revoked_at) continue;
    if (token.name == word || token.id.starts_with(word)) ids.push_back(token.id);
  }
  if (ids.size() == 1) return ids.front();
  return std::unexpected(
      Error{.code = ErrorCode::not_found,
            .message = ids.empty() ? fmt::format("token {} not found", carillon::quoted(word))
                                   : fmt::format("{} matches {} tokens", carillon::quoted(word), ids.size()),
            .hint = ids.empty() ? "see their ids: carillon token list" : fmt::format("{}", fmt::join(ids, ", ")),
            .rule = ids.empty() ? "not_found" : "ambiguous",
            .position = {},
            .context = {}});
}

Result<ExitCode> token_revoke_command(const Arguments& arguments, Session& session) {
  if (arguments.targets.empty())
    static_cast<void>(TRY(one_target(arguments, "a token", "carillon token revoke 0jgykyq4")));
  Client client = TRY(connect(arguments, session));
  const auto tokens = TRY(client.list_tokens());
  std::vector<std::string> ids;
  for (const std::string& word : arguments.targets) ids.push_back(TRY(token_named(tokens.items, word)));
  for (const std::string& id : ids) {
    TRY(client.revoke_token(id));
    session.print(fmt::format("{}: revoked\n", printable(id)));
  }
  return ExitCode::ok;
}

}  // namespace

const Verb token_create_verb{
    .name = "token create",
    .targets = "NAME",
    .summary = "Creates a token and prints it to standard output. It cannot be shown again.",
    .examples = {"carillon token create wallboard --role viewer --expires 90d",
                 "carillon token create deploy --role editor --execute --out deploy.token",
                 "export CARILLON_TOKEN=$(carillon token create me --role operator)"},
    .group = VerbGroup::server,
    .flags =
        [] {
          return joined({{{.names = "--role",
                           .form = "WORD",
                           .text = "viewer reads, operator also starts and stops, editor also changes schedules, admin "
                                   "does everything, worker only performs jobs"},
                          {.names = "--execute",
                           .form = {},
                           .text = "also let an editor define commands, which run as the server's user"},
                          {.names = "--expires",
                           .form = "DURATION",
                           .text = "how long it is valid, for example 90d; default: never expires"},
                          {.names = "--out", .form = "FILE", .text = "write it to a new file that only you can read"}},
                         output_flags(document_formats),
                         server_flags()});
        },
    .perform = token_create_command,
};

const Verb token_list_verb{
    .name = "token list",
    .targets = "",
    .summary = "Lists tokens, including expired and revoked ones, without their secrets.",
    .examples = {"carillon token list", "carillon token list -o json", "carillon token list -q"},
    .group = VerbGroup::server,
    .flags =
        [] {
          return id_list_flags(
              "JSON with only these fields, comma-separated: id, name, role, execute, scopes, namespace, expiresAt, …");
        },
    .perform = token_list_command,
};

const Verb token_revoke_verb{
    .name = "token revoke",
    .targets = "ID|NAME...",
    .summary = "Revokes tokens at once. What they did stays in the audit log.",
    .examples = {"carillon token revoke 0jgykyq4", "carillon token revoke wallboard",
                 "carillon token revoke 0jgykyq4 7kd02mza"},
    .group = VerbGroup::server,
    .flags = [] { return joined({output_flags("text"), server_flags()}); },
    .perform = token_revoke_command,
};

}  // namespace carillon::cli
