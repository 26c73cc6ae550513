#include "library/scheduler_documents.hpp"
#include "library/scheduler_parts.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace carillon {
namespace {

constexpr std::size_t page_size = 500;

static_assert(static_cast<int>(ScheduleInfo::Status::dead) == static_cast<int>(ScheduleStatus::dead));

std::unexpected<Error> unknown(std::string_view id) {
  return fail(ErrorCode::not_found, "there is no schedule {}", id);
}

DefinitionName name_of(const ScheduleState& state) { return {.uid = state.uid, .revision = state.revision}; }

/// The next nominal time that is not decided, if the schedule starts anything by itself now.
std::optional<Instant> next_of(const ScheduleState& state, const Definition& definition, Instant now) {
  if (state.status != ScheduleStatus::active || !definition.has_occurrences) return std::nullopt;
  return definition.timetable.next(std::max(state.cursor, now));
}

void describe_live(const ScheduleView& view, ScheduleInfo& info) {
  const Counts counts = counted(view);
  info.run_count = counts.runs;
  info.success_count = counts.successes;
  info.error_count = counts.errors;
  info.skip_count = std::accumulate(counts.skipped.begin(), counts.skipped.end(), std::int64_t{0});
  info.open_count = std::ranges::count_if(view.live, [](const LiveRun& run) { return is_open(run); });
  info.waiting_count = std::ranges::count_if(view.live, [](const LiveRun& run) { return is_waiting(run); });
  info.has_failed = view.state.has_failed;
  // The state does not know yet of runs that ended since the last decision.
  for (const LiveRun& run : view.live) {
    if (run.state == RunState::succeeded) info.has_failed = false;
    if (run.state == RunState::failed || run.state == RunState::timed_out || run.state == RunState::lost)
      info.has_failed = true;
  }
}

}  // namespace

Result<FoundSchedule> Scheduler::Parts::find(std::string_view id) {
  ScheduleLookup found = TRY(store.ports.schedules.find(TRY(scheduler_key(id))));
  if (!found.view || found.view->state.deleted_at) return unknown(id);
  auto definition = definitions.now()->get(name_of(found.view->state));
  return FoundSchedule{
      .store_now = found.store_now, .view = *std::move(found.view), .definition = std::move(definition)};
}

Result<std::vector<FoundSchedule>> Scheduler::Parts::find_all() {
  std::vector<FoundSchedule> all;
  const auto cache = definitions.now();
  for (Uid last{};;) {
    ScheduleScanPage page = TRY(store.ports.schedules.read_page(last, page_size));
    if (page.views.empty()) return all;
    last = page.views.back().state.uid;
    for (ScheduleView& view : page.views) {
      auto definition = cache->get(name_of(view.state));
      all.push_back({.store_now = page.store_now, .view = std::move(view), .definition = std::move(definition)});
    }
  }
}

Result<ScheduleInfo> Scheduler::Parts::describe(const FoundSchedule& found) {
  const ScheduleState& state = found.view.state;
  const DefinitionName name = name_of(state);
  const auto stored = TRY(store.ports.schedules.read_definitions(std::span{&name, 1}));
  if (!stored.front()) return fail(ErrorCode::corrupt, "a schedule has no definition");
  ScheduleInfo info{.id = stored.front()->key.id.text(),
                    .name = {},
                    .handler = {},
                    .status = static_cast<ScheduleInfo::Status>(state.status),
                    .revision = state.revision,
                    .created_at = state.created_at,
                    .document = stored.front()->document};
  describe_live(found.view, info);
  info.problem = TRY(store.ports.schedules.read_quarantine(state.uid)).value_or("");
  if (!found.definition) {
    info.problem = found.definition.error().message;
    return info;
  }
  const Definition& definition = **found.definition;
  info.name = definition.name;
  if (const auto* job = std::get_if<JobAction>(&definition.action)) info.handler = job->type;
  info.next_run = next_of(state, definition, found.store_now);
  return info;
}

Expected<ScheduleInfo> Scheduler::get(std::string_view id) const {
  const auto found = parts_->find(id);
  if (!found) return std::unexpected(failure_of(found.error()));
  auto info = parts_->describe(*found);
  if (!info) return std::unexpected(failure_of(info.error()));
  return *std::move(info);
}

Expected<std::vector<ScheduleInfo>> Scheduler::list() const {
  const auto all = parts_->find_all();
  if (!all) return std::unexpected(failure_of(all.error()));
  std::vector<ScheduleInfo> infos;
  for (const FoundSchedule& found : *all) {
    auto info = parts_->describe(found);
    if (!info) return std::unexpected(failure_of(info.error()));
    infos.push_back(*std::move(info));
  }
  return infos;
}

Expected<std::optional<TimePoint>> Scheduler::next_run(std::string_view id, TimePoint after) const {
  const auto found = parts_->find(id);
  if (!found) return std::unexpected(failure_of(found.error()));
  if (!found->definition) return std::unexpected(failure_of(found->definition.error()));
  const Definition& definition = **found->definition;
  if (!definition.has_occurrences) return std::nullopt;
  const Instant from = std::clamp(std::chrono::floor<Duration>(after), instant_min, instant_max);
  return definition.timetable.next(from);
}

Expected<std::vector<UpcomingRun>> Scheduler::upcoming(std::size_t limit) const {
  const auto all = parts_->find_all();
  if (!all) return std::unexpected(failure_of(all.error()));
  struct Next {
    Instant due;
    Instant nominal;
    const Definition* definition;
    // Of a heap, whose greatest is on top.
    bool operator<(const Next& other) const { return due > other.due; }
  };
  std::vector<Next> heap;
  for (const FoundSchedule& found : *all) {
    if (!found.definition) continue;
    const Definition* definition = found.definition->get();
    if (const auto next = next_of(found.view.state, *definition, found.store_now))
      heap.push_back({.due = definition->due(*next), .nominal = *next, .definition = definition});
  }
  std::ranges::make_heap(heap, std::less{});
  std::vector<UpcomingRun> runs;
  while (!heap.empty() && runs.size() < limit) {
    std::ranges::pop_heap(heap, std::less{});
    const Next first = heap.back();
    heap.pop_back();
    runs.push_back({.schedule_id = first.definition->key.id.text(), .nominal = first.nominal, .due = first.due});
    if (const auto next = first.definition->timetable.next(first.nominal)) {
      heap.push_back({.due = first.definition->due(*next), .nominal = *next, .definition = first.definition});
      std::ranges::push_heap(heap, std::less{});
    }
  }
  return runs;
}

}  // namespace carillon
