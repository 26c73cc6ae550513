#include "packages/state_projection.hpp"

#include <algorithm>

namespace carillon::packages {
namespace {

constexpr std::size_t event_page_size = 1'000;

Error error_of(const Refusal& refusal) { return fail(ErrorCode::unavailable, "{}", refusal.message).error(); }

bool is_ended_run(const RunAnswer& run) { return run.has_run() && is_terminal(run.record.run.state); }

}  // namespace

StateProjection::Extent StateProjection::read_changes(std::set<Uid>& changed) {
  if (!position_) {
    const auto page = feed_.read_events(std::nullopt, 0);
    if (!page) return Extent::none;
    position_ = page->newest;
    return Extent::all;
  }
  for (;;) {
    const auto page = feed_.read_events(position_, event_page_size);
    if (!page) break;
    if (page->is_gap) {
      position_ = page->newest;
      return Extent::all;
    }
    for (const FeedEvent& event : page->events) changed.insert(event.uid);
    if (!page->events.empty()) position_ = page->events.back().position;
    if (page->events.size() < event_page_size) break;
  }
  return changed.empty() ? Extent::none : Extent::some;
}

void StateProjection::update(std::span<const FileManagedSchedule> packages) {
  std::set<Uid> changed;
  const Extent extent = read_changes(changed);
  for (const FileManagedSchedule& package : packages) {
    const bool is_new = known_.insert(package.uid).second;
    const bool is_due =
        is_new || extent == Extent::all || changed.contains(package.uid) || failed_.contains(package.uid);
    // Whoever deletes or moves a package does not want its state back.
    if (!is_due || package.missing_since) continue;
    const auto written = write(package);
    if (written)
      failed_.erase(package.uid);
    else if (failed_.insert(package.uid).second)
      log_.warn("state file of a package was not written",
                {{"package", package.package}, {"error", written.error().message}});
  }
}

Result<> StateProjection::write(const FileManagedSchedule& package) {
  const Caller caller = PackageSync::keeper();
  const auto schedule = schedules_.get(caller, package.name);
  // It was deleted a moment ago.
  if (!schedule && schedule.error().kind == Refusal::Kind::not_found) return {};
  if (!schedule) return std::unexpected(error_of(schedule.error()));
  return files_.write(package.package,
                      TRY(current_package_state(package.package, *schedule, runs_, files_, history_count_)));
}

Result<PackageState> current_package_state(const std::string& package, const ScheduleAnswer& schedule, Runs& runs,
                                           const PackageStateFiles& files, std::size_t history_count) {
  const Caller caller = PackageSync::keeper();
  const ScheduleKey& key = schedule.record.key;
  auto newest =
      runs.list_of(caller, {.id = key.id.text(), .name_space = key.name_space.text()}, {.count_max = history_count});
  if (!newest) return std::unexpected(error_of(newest.error()));
  const auto last = std::ranges::find_if(newest->items, is_ended_run);
  if (last != newest->items.end()) {
    auto whole = runs.read(caller, last->record.seq);
    if (!whole) return std::unexpected(error_of(whole.error()));
    *last = *std::move(whole);
  }
  return package_state_of(package, schedule, newest->items, files.earlier(key.id.text()), history_count);
}

}  // namespace carillon::packages
