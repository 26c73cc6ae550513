#include "api/rest/documents.hpp"
#include "api/rest/page_token.hpp"
#include "api/rest/routes.hpp"
#include "base/duration_text.hpp"
#include "base/quoted.hpp"

#include <boost/json/serialize.hpp>

#include <cmath>

namespace carillon::rest {
namespace {

namespace json = boost::json;

Served<Reply> change_queue(Call& call, bool is_paused) {
  const auto name_space = call.parameters.text("namespace");
  TRY(call.parameters.finish());
  const QueueRecord queue =
      TRY(call.application.system().pause_queue(call.caller, name_space, call.ids.front(), is_paused));
  return Reply{.body = json::serialize(queue_document(queue, call.application.clock().now()))};
}

json::object store_document(const std::optional<StoreFailure>& failure) {
  if (!failure) return json::object{{"status", "ok"}};
  return json::object{{"status", rule_of(failure->kind)},
                      {"since", to_text(failure->since)},
                      {"reason", sentence_of(failure->kind)},
                      {"remedy", remedy_of(failure->kind)}};
}

json::array servers_document(const ServerList& list) {
  json::array items;
  for (const RegisteredServer& server : list.servers) {
    const ServerFacts& facts = server.facts;
    const bool is_alive = list.store_now - server.seen_at <= server_gone_after;
    json::object item{
        {"id", facts.id},
        {"host", facts.host},
        {"pid", facts.pid},
        {"url", facts.url},
        {"version", facts.version},
        {"tzdata", facts.tzdata},
        {"decidesZoned", facts.zone_edition >= list.zone_edition},
        {"roles", json::array(facts.roles.begin(), facts.roles.end())},
        {"running", facts.running},
        {"clockOffsetMs", std::chrono::duration_cast<std::chrono::milliseconds>(server.clock_offset).count()},
        {"startedAt", to_text(facts.started_at)},
        {"lastSeenAt", to_text(server.seen_at)},
        {"alive", is_alive}};
    items.push_back(std::move(item));
  }
  return items;
}

}  // namespace

Served<Reply> list_upcoming(Call& call) {
  const auto name_space = call.parameters.text("namespace");
  const auto limit = call.parameters.integer("limit", 1, 1'000).value_or(50);
  const auto until = call.parameters.instant("until");
  TRY(call.parameters.finish());
  json::array items;
  for (const UpcomingStart& upcoming :
       TRY(call.application.queries().upcoming(call.caller, name_space, until, static_cast<std::size_t>(limit)))) {
    json::object item{
        {"schedule", upcoming.key.id.text()}, {"namespace", upcoming.key.name_space.text()}, {"name", upcoming.name}};
    for (auto& [key, value] : start_document(upcoming.start)) item.emplace(key, value);
    items.push_back(std::move(item));
  }
  return Reply{.body = json::serialize(json::object{{"items", std::move(items)}})};
}

Served<Reply> get_load(Call& call) {
  const Instant now = call.application.clock().now();
  const auto name_space = call.parameters.text("namespace");
  const auto from = call.parameters.instant("from").value_or(now);
  const auto to = call.parameters.instant("to").value_or(from + std::chrono::days{1});
  const auto bucket = call.parameters.duration("bucket").value_or(std::chrono::hours{1});
  const bool with_work = call.parameters.flag("work");
  TRY(call.parameters.finish());
  const LoadAnswer load = TRY(call.application.queries().load(call.caller, name_space, from, to, bucket,
                                                              with_work ? LoadDetail::work : LoadDetail::counts));
  json::array items;
  for (const LoadBucket& part : load.buckets) {
    json::object item{{"from", to_text(part.from)}, {"count", part.count}};
    if (with_work) item["busy"] = std::round(part.busy * 1000) / 1000;
    items.push_back(std::move(item));
  }
  json::object document{{"items", std::move(items)},
                        {"bucket", to_text(bucket)},
                        {"schedules", load.schedules},
                        {"partial", load.is_partial}};
  if (with_work) {
    document["timed"] = load.timed;
    document["capacity"] = load.capacity ? json::value(*load.capacity) : json::value(nullptr);
  }
  return Reply{.body = json::serialize(document)};
}

Served<Reply> get_outcomes(Call& call) {
  const Instant now = call.application.clock().now();
  const auto name_space = call.parameters.text("namespace");
  const auto to = call.parameters.instant("to").value_or(now);
  const auto from = call.parameters.instant("from").value_or(to - std::chrono::days{1});
  const auto bucket = call.parameters.duration("bucket").value_or(std::chrono::hours{1});
  TRY(call.parameters.finish());
  const OutcomesAnswer outcomes = TRY(call.application.runs().outcomes(call.caller, name_space, from, to, bucket));
  json::array items;
  for (const OutcomeBucket& part : outcomes.buckets)
    items.push_back(json::object{{"from", to_text(part.from)},
                                 {"succeeded", part.succeeded},
                                 {"failed", part.failed},
                                 {"open", part.open},
                                 {"skipped", part.skipped}});
  json::object reasons;
  for (const auto& [reason, count] : outcomes.reasons) reasons[reason] = count;
  return Reply{.body = json::serialize(json::object{{"items", std::move(items)},
                                                    {"reasons", std::move(reasons)},
                                                    {"bucket", to_text(bucket)},
                                                    {"partial", outcomes.is_partial}})};
}

Served<Reply> list_queues(Call& call) {
  const auto name_space = call.parameters.text("namespace");
  TRY(call.parameters.finish());
  const Instant now = call.application.clock().now();
  json::array items;
  for (const QueueRecord& queue : TRY(call.application.system().queues(call.caller, name_space)))
    items.push_back(queue_document(queue, now));
  return Reply{.body = json::serialize(json::object{{"items", std::move(items)}})};
}

Served<Reply> pause_queue(Call& call) { return change_queue(call, true); }
Served<Reply> resume_queue(Call& call) { return change_queue(call, false); }

Served<Reply> list_tokens(Call& call) {
  TRY(call.parameters.finish());
  json::array items;
  for (const StoredToken& token : TRY(call.application.access().list(call.caller)))
    items.push_back(token_document(token, call.application.access().scopes_of(token)));
  return Reply{.body = json::serialize(json::object{{"items", std::move(items)}})};
}

Served<Reply> create_token(Call& call) {
  TRY(call.parameters.finish());
  const auto body = TRY(call.body());
  Problems problems;
  refuse_nulls(body, "", problems);
  ObjectReader reader{body, "", problems};
  TokenRequest request;
  if (const auto name = reader.text("name")) request.name = *name;
  if (const auto name_space = reader.text("namespace")) request.name_space = std::string{*name_space};
  request.lifetime = reader.duration("expiresIn");
  request.may_execute = reader.boolean("execute").value_or(false);
  const auto role = reader.text("role");
  const auto known = role ? parse_role(*role) : std::nullopt;
  if (!known)
    reader.problem("role", role ? "invalid" : "missing",
                   role ? fmt::format("unknown role {}", quoted(*role)) : "role is missing",
                   "one of viewer, operator, editor, admin, worker");
  reader.finish();
  if (!problems.empty()) return std::unexpected(Refusal{std::move(problems)});
  request.role = *known;
  if (call.terms.key) request.request_key = call.terms.key->key;
  const IssuedToken issued = TRY(call.application.access().issue(call.caller, request));
  json::object document = token_document(issued.stored, call.application.access().scopes_of(issued.stored));
  document["token"] = issued.text;
  return Reply{.status = 201, .body = json::serialize(document), .headers = {{"Cache-Control", "no-store"}}};
}

Served<Reply> revoke_token(Call& call) {
  TRY(call.parameters.finish());
  TRY(call.application.access().revoke(call.caller, call.ids.front()));
  return Reply{.status = 204};
}

Served<Reply> list_audit(Call& call) {
  const auto limit = call.parameters.integer("limit", 1, 500).value_or(50);
  const auto before = place_of_page(call.parameters, number_after);
  TRY(call.parameters.finish());
  const auto records = TRY(call.application.system().audit(call.caller, before, static_cast<std::size_t>(limit)));
  json::array items;
  for (const AuditRecord& record : records) items.push_back(audit_document(record));
  std::optional<std::string> next;
  if (static_cast<std::int64_t>(records.size()) == limit) next = page_token(records.back().number);
  return Reply{.body = page_text(std::move(items), next)};
}

Served<Reply> verify_audit(Call& call) {
  TRY(call.parameters.finish());
  const AuditVerdict verdict = TRY(call.application.system().verify_audit(call.caller));
  const auto& broken = verdict.broken;
  return Reply{.body =
                   json::serialize(json::object{{"intact", !broken},
                                                {"firstBroken", broken ? json::value(broken->number) : json::value{}},
                                                {"reason", broken ? json::value(broken->reason) : json::value{}},
                                                {"records", verdict.head.count},
                                                {"head", verdict.head.digest}})};
}

Served<Reply> get_system(Call& call) {
  TRY(call.parameters.finish());
  const SystemAnswer status = TRY(call.application.system().status(call.caller));
  json::object document{
      {"now", to_text(status.now)}, {"tzdata", status.tzdata}, {"store", store_document(status.store_failure)}};
  document["commandsCanReadData"] = status.can_commands_read_data;
  document["version"] = call.probes.version;
  if (call.probes.pid != 0) document["pid"] = call.probes.pid;
  if (call.probes.started_at) document["startedAt"] = to_text(*call.probes.started_at);
  if (status.stop_waits_for) document["stopping"] = json::object{{"waitsFor", *status.stop_waits_for}};
  if (status.servers) document["servers"] = servers_document(*status.servers);
  if (status.totals) {
    document["schedules"] = status.totals->schedules;
    document["ready"] = status.totals->ready;
    document["running"] = status.totals->running;
    document["nextWake"] = instant_or_null(status.totals->next_wake);
  }
  return Reply{.body = json::serialize(document)};
}

}  // namespace carillon::rest
