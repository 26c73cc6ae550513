#include "engine/ledger_record.hpp"

#include "document/document.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <type_traits>
#include <utility>

namespace carillon {
namespace {

namespace json = boost::json;

json::value text_or_null(const std::string& text) { return text.empty() ? json::value(nullptr) : json::value(text); }

json::value text_or_null(const std::optional<std::string>& text) {
  return text ? json::value(*text) : json::value(nullptr);
}

json::value instant_or_null(const std::optional<Instant>& instant) {
  return instant ? json::value(to_text(*instant)) : json::value(nullptr);
}

json::object line(std::string_view type, const LineHead& head) {
  return {{"type", type}, {"seq", static_cast<std::int64_t>(head.seq)}, {"at", to_text(head.at)}};
}

/// The document as a tree; a text that is none stays readable as text rather than spoil the line.
json::value embedded(const std::string& document) {
  auto tree = parse_json(document);
  return tree ? *std::move(tree) : json::value(document);
}

/// None for a job without a schedule, which is known by its name.
json::value schedule_of(const LineHead& head, std::string_view run) {
  return run.starts_with('~') ? json::value(nullptr) : json::value(head.schedule.text());
}

json::object written(const DecisionLine& decision) {
  json::object out = line("decision", decision.head);
  out["server"] = text_or_null(decision.server);
  out["namespace"] = decision.head.name_space.text();
  out["schedule"] = schedule_of(decision.head, decision.run.value_or(""));
  out["incarnation"] = decision.head.incarnation;
  out["revision"] = decision.revision;
  out["nominal"] = to_text(decision.nominal);
  out["due"] = to_text(decision.due);
  out["source"] = to_text(decision.source);
  out["outcome"] = to_text(decision.outcome);
  out["reason"] = decision.reason ? json::value(to_text(*decision.reason)) : json::value(nullptr);
  out["run"] = text_or_null(decision.run);
  if (decision.version != 0) out["version"] = decision.version;
  if (decision.waited_from) out["waitedFrom"] = to_text(*decision.waited_from);
  if (decision.ended_at) out["endedAt"] = to_text(*decision.ended_at);
  return out;
}

json::object written(const RangeLine& range) {
  json::object out = line("range", range.head);
  out["schedule"] = range.head.schedule.text();
  out["incarnation"] = range.head.incarnation;
  out["revision"] = range.revision;
  out["from"] = to_text(range.from);
  out["to"] = to_text(range.to);
  out["count"] = range.count;
  out["reason"] = to_text(range.reason);
  return out;
}

json::object written(const AttemptLine& attempt) {
  json::object out = line("attempt", attempt.head);
  out["schedule"] = schedule_of(attempt.head, attempt.run);
  out["run"] = attempt.run;
  out["attempt"] = attempt.attempt;
  out["worker"] = text_or_null(attempt.worker);
  out["state"] = to_text(attempt.state);
  out["claimedAt"] = to_text(attempt.claimed_at);
  out["launchedAt"] = instant_or_null(attempt.launched_at);
  out["endedAt"] = instant_or_null(attempt.ended_at);
  out["exitCode"] = attempt.exit_code ? json::value(*attempt.exit_code) : json::value(nullptr);
  out["reason"] = text_or_null(attempt.reason);
  if (attempt.claimable_from) out["claimableFrom"] = to_text(*attempt.claimable_from);
  return out;
}

json::object written(const ChangeLine& change) {
  json::object out = line("change", change.head);
  out["schedule"] = change.head.schedule.text();
  out["incarnation"] = change.head.incarnation;
  out["revision"] = change.revision;
  out["kind"] = to_text(change.kind);
  out["by"] = text_or_null(change.by);
  if (change.document) out["document"] = embedded(*change.document);
  return out;
}

json::object written(const BackfillLine& backfill) {
  json::object out = line("backfill", backfill.head);
  out["schedule"] = backfill.head.schedule.text();
  out["id"] = backfill.id;
  out["from"] = to_text(backfill.from);
  out["to"] = to_text(backfill.to);
  out["state"] = to_text(backfill.state);
  out["done"] = backfill.done;
  out["total"] = backfill.total;
  return out;
}

json::object written(const VoidLine& voided) {
  json::object out = line("void", voided.head);
  out["schedule"] = voided.head.schedule.text();
  out["from"] = to_text(voided.from);
  out["to"] = to_text(voided.to);
  out["reason"] = to_text(voided.reason);
  return out;
}

json::object written(const OutageLine& outage) {
  return {{"type", "outage"},
          {"seq", static_cast<std::int64_t>(outage.head.seq)},
          {"at", to_text(outage.head.at)},
          {"from", to_text(outage.from)},
          {"to", to_text(outage.to)},
          {"cause", to_text(outage.cause)}};
}

}  // namespace

Seq seq_of(const LedgerRecord& record) {
  return std::visit([](const auto& line) { return line.head.seq; }, record);
}

const LineHead* head_of(const LedgerRecord& record) {
  return std::visit(
      []<typename Line>(const Line& line) -> const LineHead* {
        if constexpr (std::is_same_v<Line, OutageLine>)
          return nullptr;
        else
          return &line.head;
      },
      record);
}

std::string to_json(const LedgerRecord& record) {
  return json::serialize(std::visit([](const auto& line) { return written(line); }, record));
}

}  // namespace carillon
