#include "simulation/export.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include <filesystem>
#include <fstream>

namespace carillon::simulation {
namespace {

namespace json = boost::json;

void write_ledger(const Evidence& evidence, std::ofstream out) {
  Seq last{};
  for (;;) {
    const auto lines = evidence.store.schedules.read_ledger(last, 1'000).value();
    for (const LedgerRecord& line : lines) {
      out << to_json(line) << '\n';
      last = seq_of(line);
    }
    if (lines.size() < 1'000) return;
  }
}

std::string_view operation_of(CallKind kind) {
  switch (kind) {
    case CallKind::edit: return "update";
    default: return to_text(kind);
  }
}

json::object arguments_of(const HistoryEntry& entry) {
  if (entry.call.document) return write_schedule(*entry.call.document);
  json::object arguments;
  if (entry.call.kind == CallKind::pause && entry.pause_until) arguments["until"] = to_text(*entry.pause_until);
  if (entry.call.kind == CallKind::trigger) arguments["overlap"] = to_text(entry.call.overlap);
  if (entry.backfill) {
    arguments["from"] = to_text(entry.backfill->from);
    arguments["to"] = to_text(entry.backfill->to);
    arguments["reprocess"] = to_text(entry.backfill->reprocess);
    arguments["concurrency"] = entry.backfill->concurrency;
    if (entry.backfill->overlap) arguments["overlap"] = to_text(*entry.backfill->overlap);
  }
  return arguments;
}

bool is_told_to_the_checker(CallKind kind) {
  return kind <= CallKind::backfill || kind == CallKind::reset || kind == CallKind::remove;
}

void write_history(const Evidence& evidence, std::ofstream out) {
  using Answer = HistoryEntry::Answer;
  for (const HistoryEntry& entry : evidence.records.history) {
    if (!is_told_to_the_checker(entry.call.kind)) continue;
    json::object line{{"time", to_text(entry.store_begin)},
                      {"end", nullptr},
                      {"client", entry.by},
                      {"op", operation_of(entry.call.kind)},
                      {"schedule", entry.call.schedule},
                      {"namespace", "default"},
                      {"arguments", arguments_of(entry)}};
    if (entry.end) line["end"] = to_text(entry.store_end);
    line["result"] = entry.answer == Answer::ok ? "ok" : entry.answer == Answer::failed ? "fail" : "unknown";
    const bool has_revision = entry.answer == Answer::ok && entry.call.kind != CallKind::trigger && !entry.backfill;
    line["revision"] = has_revision ? json::value(entry.revision) : json::value(nullptr);
    if (entry.backfill) line["backfill"] = entry.id;
    out << json::serialize(line) << '\n';
  }
}

void write_witness(const Evidence& evidence, std::ofstream out) {
  for (const Launch& launch : evidence.records.witness) {
    const DecisionStory* const decision = evidence.story.decision(launch.run);
    if (decision == nullptr) continue;
    const auto line = [&](std::string_view event, Instant at) {
      return json::serialize(json::object{{"run", decision->line.run.value_or("?")},
                                          {"attempt", launch.attempt},
                                          {"worker", launch.worker},
                                          {"event", event},
                                          {"at", to_text(at)},
                                          {"pid", 1}});
    };
    out << line("start", launch.store_begin) << '\n';
    // Killed ones write no end themselves, but the checker may know it.
    if (launch.end) out << line("end", launch.store_end) << '\n';
  }
}

void write_counters(const Evidence& evidence, std::ofstream out) {
  const auto page = evidence.store.schedules.read_page(Uid{}, 1'000).value();
  for (const ScheduleView& view : page.views) {
    const auto life = std::ranges::find_if(evidence.story.lives,
                                           [&](const auto& entry) { return entry.second.uid == view.state.uid; });
    if (life == evidence.story.lives.end()) continue;
    json::object skipped;
    const Counts counts = counted(view);
    for (std::size_t i = 0; i < skip_reason_count; ++i)
      skipped[to_text(static_cast<SkipReason>(i))] = counts.skipped[i];
    out << json::serialize(json::object{
               {"schedule", life->second.schedule}, {"namespace", "default"}, {"skipped", std::move(skipped)}})
        << '\n';
  }
}

// By the store's own clock: what it showed before and after.
void write_clock(const Evidence& evidence, std::ofstream out) {
  Duration offset{0};
  for (const World::Step& step : evidence.world.steps()) {
    const Instant before = step.time + offset;
    offset += step.size;
    out << json::serialize(json::object{{"from", to_text(before)}, {"to", to_text(step.time + offset)}}) << '\n';
  }
}

}  // namespace

void export_records(const Evidence& evidence, const Healing& healing, const std::string& folder) {
  const std::filesystem::path path{folder};
  std::filesystem::create_directories(path);
  write_ledger(evidence, std::ofstream{path / "ledger.jsonl"});
  write_history(evidence, std::ofstream{path / "history.jsonl"});
  write_witness(evidence, std::ofstream{path / "witness.jsonl"});
  write_counters(evidence, std::ofstream{path / "counters.jsonl"});
  write_clock(evidence, std::ofstream{path / "clock.jsonl"});
  // By the store's clock, whose smaller steps stay.
  const Duration offset = evidence.world.store_now() - evidence.world.now();
  std::ofstream arguments{path / "arguments"};
  arguments << fmt::format("--healed-at {} --until {}\n", to_text(healing.at + offset),
                           to_text(evidence.world.store_now()));
  for (const auto& [schedule, retry_at] : healing.set_aside)
    arguments << fmt::format("--set-aside {}={}\n", schedule, to_text(retry_at));
}

}  // namespace carillon::simulation
