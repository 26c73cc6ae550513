#include "packages/state_projection.hpp"

#include <algorithm>
#include <utility>

namespace carillon::packages {
namespace {

constexpr std::size_t event_page_size = 1'000;

Error error_of(const Refusal& refusal) { return fail(ErrorCode::unavailable, "{}", refusal.message).error(); }

bool is_ended_run(const RunAnswer& run) { return run.has_run() && is_terminal(run.record.run.state); }

}  // namespace

StateProjection::Extent StateProjection::read_changes() {
  if (!position_) {
    const auto page = feed_.read_events(std::nullopt, 0);
    if (!page) return Extent::some;
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
    for (const FeedEvent& event : page->events) due_.insert(event.uid);
    if (!page->events.empty()) position_ = page->events.back().position;
    if (page->events.size() < event_page_size) break;
  }
  return Extent::some;
}

bool StateProjection::update(std::span<const FileManagedSchedule> packages, std::size_t count_max) {
  const Extent extent = read_changes();
  // Once for each round: what cannot be written must not keep the others from their turn.
  if (!std::exchange(is_left_, false)) due_.insert(failed_.begin(), failed_.end());
  std::size_t count = 0;
  for (const FileManagedSchedule& package : packages) {
    const bool is_new = known_.insert(package.uid).second;
    if (is_new || extent == Extent::all) due_.insert(package.uid);
    // Whoever deletes or moves a package does not want its state back.
    if (!due_.contains(package.uid) || package.missing_since) continue;
    is_left_ |= count == count_max;
    if (count == count_max) continue;
    ++count;
    due_.erase(package.uid);
    const auto written = write(package);
    if (written)
      failed_.erase(package.uid);
    else if (failed_.insert(package.uid).second)
      log_.warn("state file of a package was not written",
                {{"package", package.package}, {"error", written.error().message}});
  }
  // What is left otherwise is no package's.
  if (!is_left_) due_.clear();
  return is_left_;
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
