#include "cli/command_line/argument_values.hpp"
#include "cli/command_line/flag_sets.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/connection/request_scope.hpp"
#include "cli/connection/server_connection.hpp"
#include "cli/display/document_output.hpp"
#include "cli/terminal/formatting.hpp"
#include "cli/terminal/printable.hpp"

#include <fmt/format.h>

#include <map>

namespace carillon::cli {

namespace {

Cell heading(std::string_view text) { return {.text = std::string{text}, .colour = Colour::bold}; }

using Names = std::map<std::string, std::string>;  // of actors: `token:0jgykyq4` → `admin`

/// Empty when they are not told to us.
Names token_names(Client& client) {
  Names names;
  const auto answer = client.get("/tokens", server_wide());
  if (!answer) return names;
  for (const auto& document : JsonView{answer->body}.items("items")) {
    const JsonView token{document};
    names["token:" + token.text("id")] = token.text("name");
  }
  return names;
}

struct AuditFilter {
  std::optional<Instant> since{};
  std::optional<std::string> by{};
};

/// Whether who did it is meant: the actor, the id of its token, or its name.
bool is_meant(const JsonView& record, const AuditFilter& filter, const Names& names) {
  if (!filter.by) return true;
  const std::string actor = record.text("actor");
  const auto name = names.find(actor);
  return actor == *filter.by || actor == "token:" + *filter.by || (name != names.end() && name->second == *filter.by);
}

/// The newest records that pass, page by page; the log is sorted by time, so the first one too old ends it.
Result<boost::json::array> records_of(Client& client, const AuditFilter& filter, const Names& names,
                                      std::size_t count_max) {
  boost::json::array records;
  std::string page_token;
  do {
    Query query = server_wide();
    query.emplace_back("limit", filter.by ? "500" : fmt::format("{}", std::min<std::size_t>(500, count_max)));
    query.emplace_back("pageToken", page_token);
    const ApiAnswer page = TRY(client.get("/audit", query));
    for (const auto& document : JsonView{page.body}.items("items")) {
      const JsonView record{document};
      if (records.size() == count_max) return records;
      if (filter.since && record.instant("at").value_or(instant_max) < *filter.since) return records;
      if (is_meant(record, filter, names)) records.push_back(document);
    }
    page_token = JsonView{page.body}.text("nextPageToken");
  } while (!page_token.empty() && records.size() < count_max);
  return records;
}

std::string actor_text(const JsonView& record, const Names& names) {
  const std::string actor = record.text("actor");
  const auto name = names.find(actor);
  return printable(name == names.end() ? actor : fmt::format("{} ({})", name->second, actor));
}

std::string table_of(const boost::json::array& records, const Names& names, const Zone& zone, const Session& session) {
  Table table;
  table.add({heading("#"), heading("AT"), heading("BY"), heading("FROM"), heading("WHAT"), heading("TARGET"),
             heading("OUTCOME")});
  for (const auto& document : records) {
    const JsonView record{document};
    const auto at = record.instant("at");
    const std::string outcome = record.text("outcome");
    const std::string name_space = record.text("namespace");
    const std::string target = record.text("target");
    table.add({{.text = fmt::format("{}", record.number("number").value_or(0)), .align = Align::right},
               {.text = at ? short_time_text(*at, zone, session.now) : ""},
               {.text = actor_text(record, names)},
               {.text = printable(record.text("address"))},
               {.text = printable(record.text("operation"))},
               {.text = printable(name_space.empty() || target.empty() ? target : name_space + '/' + target)},
               {.text = printable(outcome), .colour = outcome == "done" ? Colour::none : Colour::red}});
  }
  return table.text(session.paint, "", "  ");
}

Result<ExitCode> audit_command(const Arguments& arguments, Session& session) {
  const std::size_t limit = TRY(limit_of(arguments));
  const DisplayZone display = TRY(display_zone(arguments, session));
  const ZonePtr zone = display.zone ? display.zone : TRY(session.zones.zone("UTC"));
  AuditFilter filter{.by = arguments.value("by")};
  if (const auto since = arguments.value("since"))
    filter.since = TRY(since_value("--since", *since, *zone, session.now));
  Client client = TRY(connect(arguments, session));
  const Names names = token_names(client);
  const auto records = TRY(records_of(client, filter, names, limit));
  if (TRY(print_documents(arguments, session, records, "target"))) return ExitCode::ok;
  if (records.empty())
    session.console.write_error("nothing of that kind was done\n");
  else
    session.print(table_of(records, names, *zone, session));
  return ExitCode::ok;
}

Result<ExitCode> audit_verify_command(const Arguments& arguments, Session& session) {
  Client client = TRY(connect(arguments, session));
  const ApiAnswer answer = TRY(client.get("/audit/verify", server_wide()));
  const JsonView verdict{answer.body};
  const ExitCode code = verdict.flag("intact") ? ExitCode::ok : ExitCode::findings;
  if (TRY(print_document(arguments, session, answer.body))) return code;
  session.print(verdict.flag("intact")
                    ? session.paint(Colour::green, "✔") + " the audit log is as it was written\n"
                    : fmt::format("{} the audit log was changed from record {} on: {}\n",
                                  session.paint(Colour::red, "✗"), verdict.number("firstBroken").value_or(0),
                                  printable(verdict.text("reason"))));
  return code;
}

}  // namespace

const Verb audit_verb{
    .name = "audit",
    .targets = "",
    .summary = "Lists what was done and refused, the newest first: when, by whom, from where.",
    .examples = {"carillon audit --since 24h", "carillon audit --by deploy --limit 20", "carillon audit -o jsonl"},
    .group = VerbGroup::server,
    .flags =
        [] {
          return joined(
              {{{.names = "--since", .form = "TIME", .text = "only since: 24h, or a time"},
                {.names = "--by", .form = "WHO", .text = "only by this token (name or id), or server, anonymous"},
                {.names = "--limit", .form = "N", .text = "at most so many; default: 50"}},
               output_flags(list_formats),
               fields_flag(),
               display_flags(),
               server_flags()});
        },
    .perform = audit_command,
};

const Verb audit_verify_verb{
    .name = "audit verify",
    .targets = "",
    .summary = "Checks that nobody has changed the audit log. Exit 7 if somebody has.",
    .examples = {"carillon audit verify", "carillon audit verify -o json", "carillon audit verify || mail ops"},
    .group = VerbGroup::server,
    .flags = [] { return joined({output_flags(document_formats), server_flags()}); },
    .perform = audit_verify_command,
};

}  // namespace carillon::cli
