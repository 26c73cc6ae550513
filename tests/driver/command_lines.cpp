#include "driver/command_lines.hpp"

#include "definitions/schedule_document.hpp"
#include "definitions/words.hpp"
#include "document/document.hpp"

#include <boost/json/serialize.hpp>

#include <map>

namespace carillon::testing {
namespace {

namespace json = boost::json;

std::optional<std::string> text_of(const json::object& line, std::string_view name) {
  const json::value* value = line.if_contains(name);
  return value != nullptr && value->is_string() ? std::optional{std::string{value->get_string()}} : std::nullopt;
}

Result<std::string> required(const json::object& line, std::string_view name) {
  auto text = text_of(line, name);
  if (!text) return fail(ErrorCode::invalid_argument, "the line has no {}", name);
  return *text;
}

Result<std::optional<Instant>> time_of(const json::object& line, std::string_view name) {
  const auto text = text_of(line, name);
  if (!text) return std::nullopt;
  return TRY(parse_instant(*text));
}

Result<ScheduleDocument> document_of(const json::object& line) {
  const json::value* value = line.if_contains("document");
  if (value == nullptr) return fail(ErrorCode::invalid_argument, "the line has no document");
  auto document = read_schedule(*value);
  if (!document)
    return fail(ErrorCode::invalid_argument, "{}: {}", document.error().front().pointer,
                document.error().front().message);
  return *std::move(document);
}

Result<Event> backfill_of(const json::object& line, const std::string& by) {
  const auto from = TRY(parse_instant(TRY(required(line, "from"))));
  const auto to = TRY(parse_instant(TRY(required(line, "to"))));
  return BackfillRequested{.by = by,
                           .backfill = {.id = TRY(required(line, "id")), .from = from, .to = to, .cursor = {}}};
}

Result<Event> trigger_of(const json::object& line, const std::string& by) {
  const auto overlap = parse_word<OverlapPolicy>(text_of(line, "overlap").value_or("allow_all"));
  if (!overlap) return fail(ErrorCode::invalid_argument, "no such overlap policy");
  return Triggered{.by = by, .id = TRY(required(line, "id")), .overlap = *overlap};
}

Result<Event> event_of(const std::string& op, const json::object& line, const std::string& by) {
  if (op == "pause")
    return Paused{.by = by, .reason = text_of(line, "reason").value_or(""), .until = TRY(time_of(line, "until"))};
  if (op == "resume") return Resumed{.by = by};
  if (op == "enable") return Enabled{.by = by};
  if (op == "disable") return Disabled{.by = by};
  if (op == "reset") return Reset{.by = by};
  if (op == "delete") return Deleted{.by = by};
  if (op == "trigger") return trigger_of(line, by);
  if (op == "backfill") return backfill_of(line, by);
  return fail(ErrorCode::invalid_argument, "no such op: {}", op);
}

std::optional<std::int64_t> request_of(const json::object& line) {
  const json::value* value = line.if_contains("request");
  return value != nullptr && value->is_int64() ? std::optional{value->get_int64()} : std::nullopt;
}

Result<ScheduleKey> key_of(const json::object& line) {
  return ScheduleKey{.name_space = TRY(NamespaceId::parse("default")),
                     .id = TRY(ScheduleId::parse(TRY(required(line, "schedule"))))};
}

Result<json::object> state_of(const ScheduleKey& key, ScheduleStore& store) {
  const ScheduleLookup found = TRY(store.find(key));
  if (!found.view || found.view->state.deleted_at)
    return fail(ErrorCode::not_found, "schedule {} not found", key.id.text());
  const ScheduleState& state = found.view->state;
  return json::object{{"result", "ok"},
                      {"status", to_text(state.status)},
                      {"revision", state.revision},
                      {"runs", counted(*found.view).runs},
                      {"successes", counted(*found.view).successes},
                      {"live", found.view->live.size()}};
}

json::object shown(const CommandResult& changed) {
  return {{"result", "ok"}, {"revision", changed.state.revision}, {"status", to_text(changed.state.status)}};
}

Result<json::object> perform(const std::string& text, ScheduleCommands& commands, ScheduleStore& store) {
  const json::value parsed = TRY(parse_json(text));
  if (!parsed.is_object()) return fail(ErrorCode::invalid_argument, "a line is an object");
  const json::object& line = parsed.get_object();
  const std::string op = TRY(required(line, "op"));
  const std::string by = text_of(line, "by").value_or("driver");
  const auto request = request_of(line);
  if (op == "create") return shown(TRY(commands.create(TRY(document_of(line)), by, {.request = request})));
  if (op == "edit") return shown(TRY(commands.edit(TRY(document_of(line)), by, {.request = request})));
  if (op == "apply") {
    TRY(commands.apply(TRY(document_of(line)), by));
    return json::object{{"result", "ok"}};
  }
  const ScheduleKey key = TRY(key_of(line));
  if (op == "state") return state_of(key, store);
  return shown(TRY(commands.change(key, TRY(event_of(op, line, by)), {.request = request})));
}

}  // namespace

std::string answer(const std::string& line, ScheduleCommands& commands, ScheduleStore& store) {
  const auto done = perform(line, commands, store);
  if (done) return json::serialize(*done);
  const bool is_unknown = done.error().code == ErrorCode::unavailable;
  return json::serialize(json::object{{"result", is_unknown ? "unknown" : "failed"}, {"error", done.error().message}});
}

}  // namespace carillon::testing
