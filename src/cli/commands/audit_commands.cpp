#include "cli/command_line/argument_values.hpp"
#include "cli/command_line/flag_sets.hpp"
#include "cli/command_line/time_value.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/connection/server_connection.hpp"
#include "cli/display/document_output.hpp"
#include "cli/terminal/formatting.hpp"
#include "cli/terminal/printable.hpp"

#include <fmt/format.h>

#include <map>

namespace carillon::cli {

namespace {

constexpr std::size_t page_size_max = 500;  // what the server gives

using Names = std::map<std::string, std::string>;  // of actors: `token:0jgykyq4` → `admin`

/// Empty when they are not told to us.
Names token_names(Client& client) {
  Names names;
  const auto tokens = client.list_tokens();
  if (!tokens) return names;
  for (const client::Token& token : tokens->items) names["token:" + token.id] = token.name;
  return names;
}

struct AuditFilter {
  std::optional<Instant> since{};
  std::optional<std::string> by{};
};

/// Whether who did it is meant: the actor, the id of its token, or its name.
bool is_meant(const client::AuditRecord& record, const AuditFilter& filter, const Names& names) {
  if (!filter.by) return true;
  const std::string& actor = record.actor;
  const auto name = names.find(actor);
  return actor == *filter.by || actor == "token:" + *filter.by || (name != names.end() && name->second == *filter.by);
}

struct AuditRecords {
  std::vector<client::AuditRecord> items{};
  boost::json::array documents{};
  bool has_more = false;
};

/// The newest records that pass, page by page; the log is sorted by time, so the first one too old ends it.
Result<AuditRecords> records_of(Client& client, const AuditFilter& filter, const Names& names, std::size_t count_max) {
  AuditRecords records;
  const std::size_t page_size = filter.by ? page_size_max : std::min(page_size_max, count_max);
  std::string page_token;
  do {
    auto page = TRY(client.get_audit_page(page_size, page_token));
    auto& documents = page.document.get_object().at("items").get_array();
    for (std::size_t i = 0; i < page.value.items.size(); ++i) {
      client::AuditRecord& record = page.value.items[i];
      if (filter.since && record.at < *filter.since) return records;
      if (!is_meant(record, filter, names)) continue;
      records.has_more = records.items.size() == count_max;
      if (records.has_more) return records;
      records.items.push_back(std::move(record));
      records.documents.push_back(std::move(documents[i]));
    }
    page_token = page.value.next_page_token;
  } while (!page_token.empty() && records.items.size() < count_max);
  records.has_more = !page_token.empty();
  return records;
}

std::string actor_text(const client::AuditRecord& record, const Names& names) {
  const auto name = names.find(record.actor);
  return printable(name == names.end() ? record.actor : fmt::format("{} ({})", name->second, record.actor));
}

std::string target_text(const client::AuditRecord& record) {
  const bool has_both = !record.name_space.empty() && !record.target.empty();
  return printable(has_both ? record.name_space + '/' + record.target : record.target);
}

std::string table_of(const std::vector<client::AuditRecord>& records, const Names& names, const Zone& zone,
                     const Session& session) {
  Table table;
  table.add({heading("#"), heading("AT"), heading("BY"), heading("FROM"), heading("WHAT"), heading("TARGET"),
             heading("OUTCOME")});
  for (const client::AuditRecord& record : records) {
    table.add({{.text = fmt::format("{}", record.number), .align = Align::right},
               {.text = short_time_text(record.at, zone, session.now)},
               {.text = actor_text(record, names)},
               {.text = printable(record.address)},
               {.text = printable(record.operation)},
               {.text = target_text(record)},
               {.text = printable(record.outcome), .colour = record.outcome == "done" ? Colour::none : Colour::red}});
  }
  return table.text(session.paint, "", "  ");
}

Result<ExitCode> audit_command(const Arguments& arguments, Session& session) {
  const std::size_t limit = TRY(limit_of(arguments, session));
  const DisplayZone display = TRY(display_zone(arguments, session));
  const ZonePtr zone = display.zone ? display.zone : TRY(session.zones.zone("UTC"));
  AuditFilter filter{.by = arguments.value("by")};
  if (const auto since = arguments.value("since"))
    filter.since = TRY(time_value("--since", *since, *zone, TimeSide::past, session.now));
  Client client = TRY(connect(arguments, session));
  const Names names = token_names(client);
  const auto records = TRY(records_of(client, filter, names, limit));
  note_left_out(arguments, session, {.what = "records", .shown = records.items.size(), .has_more = records.has_more});
  if (TRY(print_documents(arguments, session, records.documents, "target"))) return ExitCode::ok;
  if (records.items.empty())
    session.console.write_error("no matching entries\n");
  else
    session.print(table_of(records.items, names, *zone, session));
  return ExitCode::ok;
}

Result<ExitCode> audit_verify_command(const Arguments& arguments, Session& session) {
  Client client = TRY(connect(arguments, session));
  const auto answer = TRY(client.verify_audit());
  const client::AuditVerdict& verdict = answer.value;
  const ExitCode code = verdict.is_intact ? ExitCode::ok : ExitCode::findings;
  if (TRY(print_document(arguments, session, answer.document))) return code;
  session.print(verdict.is_intact
                    ? session.paint(Colour::green, "✔") + " the audit log is intact\n"
                    : fmt::format("{} the audit log was altered, starting at record {}: {}\n",
                                  session.paint(Colour::red, "✗"), verdict.first_broken, printable(verdict.reason)));
  return code;
}

}  // namespace

const Verb audit_verb{
    .name = "audit",
    .targets = "",
    .summary = "Lists changes and refused requests, newest first: when, by whom, from where.",
    .examples = {"carillon audit --since 24h", "carillon audit --by deploy --limit 20", "carillon audit -o jsonl"},
    .group = VerbGroup::server,
    .flags =
        [] {
          return joined(
              {{{.names = "--since",
                 .form = "TIME",
                 .text = "only entries since this time, or within this duration: 24h"},
                {.names = "--by",
                 .form = "WHO",
                 .text = "only entries by this token (name or id), or by server or anonymous"},
                {.names = "--limit", .form = "N", .text = "show at most N; default: 50 on a terminal, otherwise all"}},
               output_flags(list_formats),
               fields_flag("JSON with only these fields, comma-separated: number, at, actor, address, operation, "
                           "namespace, target, outcome, …"),
               display_flags(),
               server_flags()});
        },
    .perform = audit_command,
};

const Verb audit_verify_verb{
    .name = "audit verify",
    .targets = "",
    .summary = "Checks that the audit log was not altered. Exits with 7 if it was.",
    .examples = {"carillon audit verify", "carillon audit verify -o json", "carillon audit verify || mail ops"},
    .group = VerbGroup::server,
    .flags = [] { return joined({output_flags(document_formats), server_flags()}); },
    .perform = audit_verify_command,
};

}  // namespace carillon::cli
