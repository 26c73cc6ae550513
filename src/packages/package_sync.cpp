#include "packages/package_sync.hpp"

#include "packages/filed_definitions.hpp"
#include "packages/missed_occurrence.hpp"
#include "service/managed_definition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <thread>
#include <utility>

namespace carillon::packages {
namespace {

constexpr std::size_t load_page_size = 500;
/// Many files at once, as when a folder is read for the first time, are written by several threads.
constexpr std::size_t schedules_per_thread = 8;
constexpr std::size_t writing_threads_max = 16;
/// After a deletion that failed.
constexpr Duration removal_retry = std::chrono::minutes{1};
/// How many runs of a package's old place are looked at.
constexpr std::size_t known_run_count = 10;

std::string managed_key(std::string_view name_space, std::string_view id) {
  std::string key = fmt::format("{}/{}", name_space, id);
  std::ranges::transform(key, key.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 32) : c; });
  return key;
}

std::string key_of_filed(const FiledSchedule& filed) {
  return managed_key(filed.document.name_space.text(), filed.document.id.text());
}

ScheduleName name_of_filed(const FiledSchedule& filed) {
  return {.id = filed.document.id.text(), .name_space = filed.document.name_space.text()};
}

/// The package of a file that is no longer read: by its name.
std::string package_of(std::string_view file) {
  const std::string_view name = file.substr(file.rfind('/') + 1);
  return name == "pipeline.yaml" || name == "pipeline.yml" ? folder_of(file) : std::string{};
}

pipeline::FileFault fault_about(const std::string& file, std::string message, std::string hint = {}) {
  return {.file = file, .position = {}, .code = "refused", .message = std::move(message), .hint = std::move(hint)};
}

bool may_pass(const Refusal& refusal) {
  using enum Refusal::Kind;
  return refusal.kind == unavailable || refusal.kind == full || refusal.kind == stale || refusal.kind == internal;
}

}  // namespace

Caller PackageSync::keeper() {
  Caller caller{.actor = "file", .address = {}, .role = Role::admin};
  caller.keeps_files = true;
  return caller;
}

Result<> PackageSync::load() {
  ScheduleListRequest request{.filter = {.labels = {{.key = std::string{managed_by_label}}}},
                              .count_max = load_page_size};
  for (;;) {
    const auto page = schedules_.list(keeper(), request);
    if (!page) return fail(ErrorCode::unavailable, "{}", page.error().message);
    for (const ScheduleAnswer& answer : page->items) {
      const auto file = defining_file(answer.record.document);
      if (!file) continue;
      const ScheduleKey& key = answer.record.key;
      managed_.insert_or_assign(managed_key(key.name_space.text(), key.id.text()),
                                FileManagedSchedule{.name = {.id = key.id.text(), .name_space = key.name_space.text()},
                                                    .uid = answer.record.view.state.uid,
                                                    .file = *file,
                                                    .package = package_of(*file)});
    }
    if (!page->next) return {};
    request.after = page->next;
  }
}

SyncCounts PackageSync::apply(std::span<const FolderScope> scopes, const FolderContents& contents) {
  Outcome outcome{.counts = {}, .faults = contents.faults};
  mark_missing(scopes, contents, outcome);
  const std::vector<Written> written = write_all(contents.schedules);
  for (std::size_t i = 0; i < written.size(); ++i) note(contents.schedules[i], written[i], outcome);
  outcome.counts.refused = outcome.faults.size();
  const auto is_in_force = [&](const std::string& file) {
    return std::ranges::any_of(managed_, [&](const auto& entry) { return is_at_or_below(entry.second.file, file); });
  };
  for (const pipeline::FileFault& fault : faults_.replace(scopes, outcome.faults, is_in_force))
    log_.warn("file of schedules is not in force", {{"fault", text_of(fault)}});
  return outcome.counts;
}

void PackageSync::mark_missing(std::span<const FolderScope> scopes, const FolderContents& contents, Outcome& outcome) {
  std::map<std::string, std::string, std::less<>> found;
  for (const FiledSchedule& filed : contents.schedules) found.emplace(key_of_filed(filed), filed.file);
  for (auto& [key, managed] : managed_) {
    const bool is_read =
        std::ranges::any_of(scopes, [&](const FolderScope& scope) { return scope.contains(managed.file); });
    if (!is_read) continue;
    if (contents.has_fault(managed.file)) {
      managed.missing_since.reset();
    } else if (const auto file = found.find(key); file != found.end()) {
      // Its file was renamed, or it was moved to another one.
      managed.file = file->second;
    } else if (!managed.missing_since) {
      managed.missing_since = clock_.since_boot();
      log_.info("schedule is no longer defined by its file",
                {{"schedule", managed.name.id}, {"file", managed.file}, {"deleted_after", grace_}});
      // Another file may have been refused because this one had the schedule.
      outcome.counts.must_retry |= !faults_.all().empty();
    }
  }
}

std::vector<PackageSync::Written> PackageSync::write_all(std::span<const FiledSchedule> schedules) const {
  std::vector<Written> written(schedules.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < schedules.size(); i = next++) written[i] = write(schedules[i]);
  };
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < std::min(schedules.size() / schedules_per_thread, writing_threads_max); ++i)
    others.emplace_back(work);
  work();
  others.clear();
  return written;
}

PackageSync::Written PackageSync::write(const FiledSchedule& filed) const {
  const auto before = schedules_.find(keeper(), name_of_filed(filed));
  if (!before && before.error().kind == Refusal::Kind::not_found) return write_new(filed);
  if (!before) return {.refusal = before.error()};
  if (auto conflict = conflict_of(filed, *before)) return {.fault = std::move(conflict)};
  auto put = schedules_.put(keeper(), name_of_filed(filed), write_schedule(filed.document), {});
  if (!put) return {.refusal = std::move(put).error()};
  const bool is_changed = put->answer.record.view.state.revision != before->view.state.revision;
  return {.put = *std::move(put), .is_changed = is_changed};
}

// What the state file says is read first: a schedule must not be created if it may have been paused.
PackageSync::Written PackageSync::write_new(const FiledSchedule& filed) const {
  Result<std::optional<PackageState>> state = std::optional<PackageState>{};
  if (!filed.package.empty()) state = states_.read(filed.package);
  if (!state && state.error().code == ErrorCode::unavailable) return {.refusal = Refusal{state.error()}};
  auto put = schedules_.put(keeper(), name_of_filed(filed), write_schedule(filed.document), {});
  if (!put) return {.refusal = std::move(put).error()};
  return {.put = *std::move(put), .is_changed = true, .state = std::move(state)};
}

void PackageSync::note(const FiledSchedule& filed, const Written& written, Outcome& outcome) {
  if (written.fault) return outcome.faults.push_back(*written.fault);
  if (written.refusal) return refuse(filed, *written.refusal, outcome);
  const bool is_new = written.put->is_new;
  const std::string id = filed.document.id.text();
  remember(filed, written.put->answer);
  ++(is_new ? outcome.counts.created : written.is_changed ? outcome.counts.updated : outcome.counts.unchanged);
  if (!written.is_changed) return;
  if (is_new) restore(filed, written.put->answer, written.state);
  log_.info(is_new ? "schedule is created from its file" : "schedule is updated from its file",
            {{"schedule", id}, {"file", filed.file}});
  tell(id, filed.package, is_new ? PackageChange::Kind::added : PackageChange::Kind::updated);
}

void PackageSync::tell(std::string schedule_id, std::string package, PackageChange::Kind kind) const {
  if (on_change_) on_change_({.schedule_id = std::move(schedule_id), .package = std::move(package), .kind = kind});
}

std::optional<pipeline::FileFault> PackageSync::conflict_of(const FiledSchedule& filed,
                                                            const ScheduleRecord& before) const {
  const auto file = defining_file(before.document);
  if (!file)
    return fault_about(filed.file,
                       fmt::format("schedule {} exists already and is not defined by a file", filed.document.id.text()),
                       "give it another id, or delete that schedule");
  if (*file == filed.file) return std::nullopt;
  const auto other = managed_.find(key_of_filed(filed));
  const bool is_free = other == managed_.end() || other->second.missing_since || other->second.file == filed.file;
  return is_free ? std::nullopt : std::optional{defined_twice(filed, *file)};
}

void PackageSync::restore(const FiledSchedule& filed, const ScheduleAnswer& answer,
                          const Result<std::optional<PackageState>>& state) {
  const std::string file = joined_path(filed.package, state_file_name);
  const auto pause = [&](std::string reason) {
    if (const auto paused = schedules_.pause(keeper(), name_of_filed(filed), {.reason = std::move(reason)}, {});
        !paused)
      log_.error("cannot restore the pause of a package's schedule",
                 {{"schedule", filed.document.id.text()}, {"error", paused.error().message}});
  };
  if (!state) {
    const auto kept = states_.set_aside(filed.package);
    log_.error("cannot read the state file of a package",
               {{"file", file}, {"error", state.error().message}, {"kept_as", kept ? *kept : kept.error().message}});
    return pause(
        fmt::format("{} cannot be understood, so whether it was paused is not known: {}", file, state.error().message));
  }
  if (!*state) return;
  PackageState earlier = **state;
  earlier.schedule_id = filed.document.id.text();
  if (const auto kept = states_.keep_earlier(earlier); !kept)
    log_.warn("history of a package was not taken over", {{"file", file}, {"error", kept.error().message}});
  if (earlier.status == PackageStatus::paused) return pause(fmt::format("paused by {}", file));
  make_up_for_move(filed, answer, **state, states_.written_at(filed.package));
}

// A scheduler writes the file whenever it has decided an occurrence, so that it is older than the next one. A newer
// file was made by something else, such as a checkout: what it announces is nothing that was missed here.
void PackageSync::make_up_for_move(const FiledSchedule& filed, const ScheduleAnswer& answer,
                                   const PackageState& earlier, std::optional<Instant> written_at) {
  if (!earlier.next_run || !written_at || *written_at > *earlier.next_run || !answer.definition) return;
  const auto missed = missed_occurrence(*answer.definition, undecided_since(earlier), clock_.now());
  if (!missed) return;
  if (const auto started = schedules_.trigger(keeper(), name_of_filed(filed), {.nominal = *missed}, {}); !started)
    return log_.error("cannot start the run that a moved package missed",
                      {{"schedule", filed.document.id.text()}, {"error", started.error().message}});
  log_.info("starting the run that a moved package missed",
            {{"schedule", filed.document.id.text()}, {"nominal", *missed}, {"missed_since", *earlier.next_run}});
}

// The file may not know the newest run yet if the package was moved the moment it ended.
Instant PackageSync::undecided_since(const PackageState& earlier) const {
  constexpr Duration moment{1};
  Instant since = *earlier.next_run;
  const auto runs = runs_.list_of(keeper(), {.id = earlier.schedule_id}, {.count_max = known_run_count});
  if (!runs) return since;
  for (const RunAnswer& run : runs->items)
    if (run.has_run() && !has_failed(run.record.run.state)) since = std::max(since, run.record.nominal + moment);
  return since;
}

void PackageSync::remember(const FiledSchedule& filed, const ScheduleAnswer& answer) {
  managed_.insert_or_assign(key_of_filed(filed), FileManagedSchedule{.name = name_of_filed(filed),
                                                                     .uid = answer.record.view.state.uid,
                                                                     .file = filed.file,
                                                                     .package = filed.package});
}

void PackageSync::refuse(const FiledSchedule& filed, const Refusal& refusal, Outcome& outcome) {
  outcome.counts.must_retry |= may_pass(refusal);
  const std::string message = refusal.errors.empty() ? refusal.message : to_error(refusal.errors).message;
  outcome.faults.push_back(
      fault_about(filed.file, fmt::format("schedule {}: {}", filed.document.id.text(), message), refusal.hint));
}

void PackageSync::remove_missing() {
  const Duration now = clock_.since_boot();
  for (auto entry = managed_.begin(); entry != managed_.end();) {
    const auto& missing_since = entry->second.missing_since;
    const bool is_due = missing_since && *missing_since + grace_ <= now;
    entry = is_due && remove(entry->second, now) ? managed_.erase(entry) : std::next(entry);
  }
}

bool PackageSync::remove(FileManagedSchedule& managed, Duration now) {
  const auto removed = schedules_.remove(keeper(), managed.name, {});
  if (removed || removed.error().kind == Refusal::Kind::not_found) {
    log_.info("schedule is deleted: its file is gone", {{"schedule", managed.name.id}, {"file", managed.file}});
    tell(managed.name.id, managed.package, PackageChange::Kind::removed);
    return true;
  }
  log_.warn("schedule without a file was not deleted",
            {{"schedule", managed.name.id}, {"error", removed.error().message}});
  managed.missing_since = now + removal_retry - grace_;
  return false;
}

std::optional<Duration> PackageSync::next_removal() const {
  std::optional<Duration> next;
  for (const auto& [key, managed] : managed_) {
    if (!managed.missing_since) continue;
    const Duration due = *managed.missing_since + grace_;
    next = next ? std::min(*next, due) : due;
  }
  return next;
}

std::vector<FileManagedSchedule> PackageSync::packages() const {
  std::vector<FileManagedSchedule> packages;
  for (const auto& [key, managed] : managed_)
    if (!managed.package.empty()) packages.push_back(managed);
  return packages;
}

}  // namespace carillon::packages
