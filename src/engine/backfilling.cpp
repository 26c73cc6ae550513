#include "engine/step_context.hpp"

#include <algorithm>
#include <utility>

namespace carillon {
namespace {

constexpr Duration moment{1};

// The next occurrence of the lane, in its direction.
std::optional<Instant> next_of(const Definition& definition, const Backfill& backfill) {
  if (backfill.order == BackfillOrder::oldest_first) {
    const auto nominal = definition.timetable.next(backfill.cursor - moment);
    return nominal && *nominal < backfill.to ? nominal : std::nullopt;
  }
  const auto nominal = definition.timetable.previous(backfill.cursor);
  return nominal && *nominal >= backfill.from ? nominal : std::nullopt;
}

bool is_known(const BackfillView& view, const Backfill& backfill, Instant nominal) {
  if (backfill.reprocess == Reprocess::all) return true;
  return backfill.order == BackfillOrder::oldest_first ? nominal < view.known_to : nominal >= view.known_to;
}

bool is_wanted(const BackfillView& view, Instant nominal) {
  const auto past = std::ranges::lower_bound(view.past, nominal, {}, &PastRun::nominal);
  const bool has_run = past != view.past.end() && past->nominal == nominal;
  return is_wanted(view.record.reprocess, has_run ? &*past : nullptr);
}

/// Its runs that wait or are open, after what this step has decided so far.
std::int64_t pending_count(const StepContext& deciding, std::int64_t number) {
  const auto is_of_it = [&](const auto& one) { return one.backfill == number; };
  std::int64_t count = std::ranges::count_if(deciding.waiting, is_of_it);
  count += std::ranges::count_if(deciding.released, is_of_it);
  count += std::ranges::count_if(deciding.view.live, [&](const LiveRun& run) { return is_of_it(run) && is_open(run); });
  return count + std::ranges::count_if(deciding.out.decisions, [&](const Decision& one) {
           return is_of_it(one) && std::holds_alternative<Starts>(one.verdict);
         });
}

/// Decides one occurrence; tells whether it starts or waits.
bool decide_backfilled(StepContext& deciding, const Backfill& backfill, Instant nominal) {
  Decision decision{.nominal = nominal,
                    .due = deciding.definition.due(nominal),
                    .source = Source::backfill,
                    .verdict = Waits{},
                    .holds_slot = backfill.is_exclusive,
                    .overlap = backfill.overlap,
                    .backfill = backfill.number,
                    .trigger = backfill.id};
  if (!backfill.overlap) {
    start(deciding, std::move(decision));
    return true;
  }
  decision.holds_slot = *backfill.overlap != OverlapPolicy::allow_all;
  admit(deciding, std::move(decision), *backfill.overlap);
  return !std::holds_alternative<Skips>(deciding.out.decisions.back().verdict);
}

/// Whether another occurrence may be decided now. A full buffer is waited for: a backfill drops nothing because of it.
bool has_room(const StepContext& deciding, const Backfill& backfill, std::int64_t& pending) {
  if (pending >= backfill.concurrency) pending = pending_count(deciding, backfill.number);
  if (pending >= backfill.concurrency) return false;
  const auto limit = static_cast<std::size_t>(deciding.policies().buffer_limit);
  return backfill.overlap != OverlapPolicy::buffer_all || deciding.waiting.size() < limit;
}

Backfill* changed_record(StepContext& deciding, std::int64_t number) {
  const auto found = std::ranges::find(deciding.out.backfills, number, &Backfill::number);
  return found == deciding.out.backfills.end() ? nullptr : &*found;
}

void advance(StepContext& deciding, const BackfillView& view) {
  Backfill* changed = changed_record(deciding, view.record.number);
  Backfill backfill = changed ? *changed : view.record;
  if (backfill.state != BackfillState::running) return;
  std::int64_t pending = pending_count(deciding, backfill.number);
  std::optional<Instant> nominal = next_of(deciding.definition, backfill);
  for (; nominal && has_room(deciding, backfill, pending); nominal = next_of(deciding.definition, backfill)) {
    const bool must_look_up = !is_known(view, backfill, *nominal);
    if (must_look_up || deciding.out.decisions.size() >= deciding.decisions_max) {
      deciding.has_more = true;
      break;
    }
    const bool is_started = is_wanted(view, *nominal);
    if (is_started && backfill.is_exclusive && deciding.slot_holders > 0) break;
    backfill.cursor = backfill.order == BackfillOrder::oldest_first ? *nominal + moment : *nominal;
    ++backfill.done;
    if (is_started) pending += decide_backfilled(deciding, backfill, *nominal);
  }
  if (!nominal && pending_count(deciding, backfill.number) == 0) backfill.state = BackfillState::completed;
  if (changed) {
    *changed = std::move(backfill);
  } else if (backfill != view.record) {
    deciding.out.backfills.push_back(std::move(backfill));
  }
}

}  // namespace

std::int64_t left_of(const Definition& definition, const Backfill& backfill) {
  const bool is_forward = backfill.order == BackfillOrder::oldest_first;
  const Instant from = is_forward ? backfill.cursor : backfill.from;
  const Instant to = is_forward ? backfill.to : backfill.cursor;
  return from < to ? static_cast<std::int64_t>(definition.timetable.count(from, to)) : 0;
}

std::vector<Backfill*> open_backfills(StepContext& deciding) {
  std::vector<Backfill>& changed = deciding.out.backfills;
  for (const BackfillView& view : deciding.view.backfills)
    if (std::ranges::find(changed, view.record.number, &Backfill::number) == changed.end())
      changed.push_back(view.record);
  std::vector<Backfill*> open;
  for (Backfill& backfill : changed)
    if (is_open(backfill.state)) open.push_back(&backfill);
  return open;
}

bool has_running_backfill(const StepContext& deciding) {
  const auto is_running = [](const Backfill& backfill) { return backfill.state == BackfillState::running; };
  if (std::ranges::any_of(deciding.out.backfills, is_running)) return true;
  return std::ranges::any_of(deciding.view.backfills, [&](const BackfillView& view) {
    const auto same = [&](const Backfill& changed) { return changed.number == view.record.number; };
    return is_running(view.record) && std::ranges::none_of(deciding.out.backfills, same);
  });
}

Backfill* find_backfill(StepContext& deciding, std::string_view id) {
  const auto open = open_backfills(deciding);
  const auto found = std::ranges::find(open, id, &Backfill::id);
  return found == open.end() ? nullptr : *found;
}

Backfill new_backfill(const BackfillOptions& options, std::string id) {
  return {.id = std::move(id),
          .from = options.from,
          .to = options.to,
          .order = options.order,
          .reprocess = options.reprocess,
          .concurrency = options.concurrency,
          .is_exclusive = options.is_exclusive,
          .overlap = options.overlap,
          .cursor = {}};
}

// Counted at the end: what one of them starts, another may push aside. An exclusive one comes last: what it starts in
// this step could not be asked to stop.
void advance_backfills(StepContext& deciding) {
  for (const BackfillView& view : deciding.view.backfills)
    if (!view.record.is_exclusive) advance(deciding, view);
  for (const BackfillView& view : deciding.view.backfills)
    if (view.record.is_exclusive) advance(deciding, view);
  for (const BackfillView& view : deciding.view.backfills) {
    Backfill* const changed = changed_record(deciding, view.record.number);
    if (changed == nullptr) continue;
    changed->started = view.record.started + std::ranges::count_if(deciding.out.decisions, [&](const Decision& one) {
                         return one.backfill == changed->number && !std::holds_alternative<Skips>(one.verdict);
                       });
  }
}

}  // namespace carillon
