#include "simulation/client.hpp"

#include "simulation/draw.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ranges>

namespace carillon::simulation {
namespace {

constexpr int tries_max = 3;

ScheduleKey key_of_schedule(const std::string& id) {
  return {.name_space = NamespaceId::parse("default").value(), .id = ScheduleId::parse(id).value()};
}

Instant whole_second(Instant time) { return std::chrono::floor<std::chrono::seconds>(time); }

}  // namespace

Process* Client::server_for(const PlannedCall& call) const {
  std::vector<Process*> up;
  for (const auto& process : processes_)
    if (process->is_server() && process->is_alive()) up.push_back(process.get());
  if (up.empty()) return nullptr;
  return up[Draw{key_of(around_.plan.seed, "server", call.number)}.below(up.size())];
}

void Client::call(const PlannedCall& call) {
  Process* const server = server_for(call);
  if (server != nullptr) server->perform(Lane::deciding, [this, server, &call] { perform(*server, call); });
}

void Client::perform(Process& server, const PlannedCall& call) {
  const std::size_t index = around_.records.history.size();
  around_.records.history.push_back({.call = call,
                                     .by = fmt::format("call-{}", call.number),
                                     .id = fmt::format("{}", call.number),
                                     .begin = around_.world.now(),
                                     .store_begin = around_.world.store_now(),
                                     .store_end = {}});
  // A copy, since other calls are noted while this one stands still; a crash leaves the noted one unanswered.
  HistoryEntry entry = around_.records.history[index];
  entry.is_by_doubted_clock = server.is_clock_doubted();
  for (int i = 0; i < tries_max; ++i) {
    const auto changed = ask(server, entry);
    entry.end = around_.world.now();
    entry.is_by_doubted_clock &= server.is_clock_doubted();
    entry.store_end = around_.world.store_now();
    if (changed) {
      entry.answer = HistoryEntry::Answer::ok;
      entry.revision = changed->state.revision;
    } else {
      const bool is_unknown = changed.error().code == ErrorCode::unavailable;
      entry.answer = is_unknown ? HistoryEntry::Answer::unknown : HistoryEntry::Answer::failed;
      entry.error = changed.error().message;
    }
    around_.records.history[index] = entry;
    if (entry.answer != HistoryEntry::Answer::unknown) break;
    if (!Draw{key_of(around_.plan.seed, "again", call.number, i)}.chance(0.6)) break;
    around_.tally.add(Sometimes::call_repeated);
  }
  if (entry.answer == HistoryEntry::Answer::failed) around_.tally.add(Sometimes::call_refused);
  if (entry.answer == HistoryEntry::Answer::unknown) around_.tally.add(Sometimes::call_unknown);
  server.poke();
}

Result<CommandResult> Client::ask(Process& server, HistoryEntry& entry) {
  const PlannedCall& call = entry.call;
  const CommandOptions options{.request = call.number};
  if (call.kind == CallKind::create) return server.commands().create(*call.document, entry.by, options);
  if (call.kind == CallKind::edit) return server.commands().edit(*call.document, entry.by, options);
  const Event event = TRY(event_of(server, entry));
  return server.commands().change(key_of_schedule(call.schedule), event, options);
}

Result<Event> Client::event_of(Process& server, HistoryEntry& entry) {
  const PlannedCall& call = entry.call;
  using Kind = BackfillChanged::Kind;
  switch (call.kind) {
    case CallKind::pause:
      if (call.length && !entry.pause_until) entry.pause_until = around_.world.store_now() + *call.length;
      return Paused{.by = entry.by, .reason = "simulated", .until = entry.pause_until};
    case CallKind::resume: return Resumed{.by = entry.by};
    case CallKind::enable: return Enabled{.by = entry.by};
    case CallKind::disable: return Disabled{.by = entry.by};
    case CallKind::reset: return Reset{.by = entry.by};
    case CallKind::remove: return Deleted{.by = entry.by};
    case CallKind::trigger: return Triggered{.by = entry.by, .id = entry.id, .overlap = call.overlap};
    case CallKind::backfill: {
      if (!entry.backfill) {
        const Instant from = whole_second(around_.world.store_now() - call.reach);
        entry.backfill = Backfill{.id = entry.id,
                                  .from = from,
                                  .to = whole_second(from + call.span),
                                  .order = call.order,
                                  .reprocess = call.reprocess,
                                  .concurrency = call.concurrency,
                                  .is_exclusive = call.is_exclusive,
                                  .overlap = call.backfill_overlap,
                                  .cursor = {}};
      }
      return BackfillRequested{.by = entry.by, .backfill = *entry.backfill};
    }
    case CallKind::backfill_pause:
      return BackfillChanged{.by = entry.by, .id = newest_backfill(call.schedule), .kind = Kind::pause};
    case CallKind::backfill_resume:
      return BackfillChanged{.by = entry.by, .id = newest_backfill(call.schedule), .kind = Kind::resume};
    case CallKind::backfill_cancel:
      return BackfillChanged{.by = entry.by, .id = newest_backfill(call.schedule), .kind = Kind::cancel};
    case CallKind::cancel_run: return cancel_of(server, entry);
    case CallKind::create:
    case CallKind::edit: break;
  }
  std::unreachable();
}

Result<Event> Client::cancel_of(Process& server, HistoryEntry& entry) {
  if (entry.cancelled == Seq{}) {
    const ScheduleLookup found = TRY(server.store().find(key_of_schedule(entry.call.schedule)));
    if (!found.view || found.view->live.empty()) return fail(ErrorCode::not_found, "nothing to cancel");
    const auto& live = found.view->live;
    entry.cancelled = live[Draw{key_of(around_.plan.seed, "which", entry.call.number)}.below(live.size())].seq;
  }
  return CancelRequested{.run = entry.cancelled};
}

std::string Client::newest_backfill(const std::string& schedule) const {
  for (const HistoryEntry& entry : around_.records.history | std::views::reverse)
    if (entry.call.kind == CallKind::backfill && entry.call.schedule == schedule) return entry.id;
  return "none";
}

}  // namespace carillon::simulation
