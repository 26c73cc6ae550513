#include "main/served_folder.hpp"

#include "cli/settings/settings.hpp"
#include "packages/project_store.hpp"

#include <fmt/format.h>

#include <utility>

namespace carillon {
namespace {

namespace fs = std::filesystem;

using packages::WatchedFiles;

/// The zone of packages that name none: the machine's, if it has one that schedules can have.
std::string package_zone(const cli::Console& console, ZoneSource& zones) {
  if (auto zone = console.environment("SCHEDULER_DEFAULT_TIMEZONE")) return *zone;
  std::string zone = cli::local_zone_name(console);
  return zones.zone(zone) ? zone : "UTC";
}

}  // namespace

Result<std::unique_ptr<ServedFolder>> ServedFolder::claim(const cli::ServeRequest& request, const cli::Console& console,
                                                          ZoneSource& zones, Clock& clock, Log& log) {
  const WatchedFiles which =
      request.watched->has_schedule_files ? WatchedFiles::packages_and_schedules : WatchedFiles::packages;
  const fs::path path = TRY(packages::find_package_folder(request.watched->folder));
  const std::string timezone = package_zone(console, zones);
  packages::PackageFolder folder{
      path,
      {.which = which,
       .default_timezone = timezone,
       .schedule_timezone = console.environment("SCHEDULER_DEFAULT_TIMEZONE").value_or("UTC")}};
  auto claimed = TRY(packages::ClaimedFolder::claim(path, which, clock));
  return std::unique_ptr<ServedFolder>{
      new ServedFolder{std::move(folder), std::move(claimed), request.removal_grace, timezone, clock, log}};
}

void ServedFolder::describe_to(ApiOptions& options) {
  options.has_watched_folder = true;
  options.pipelines = &catalog_;
  options.source_findings = [this](std::string_view file) { return faults_.findings(file); };
  options.broken_files = [this] { return faults_.unscheduled(); };
}

Result<std::unique_ptr<packages::WatchedFolder>> ServedFolder::open(Server& server, ApiServer& api) {
  if (server.data().filename() == packages::store_folder_name) packages::ignore_in_version_control(server.data(), log_);
  Application& application = api.application();
  auto watched = std::make_unique<packages::WatchedFolder>(
      packages::WatchedFolderParts{.schedules = application.schedules(),
                                   .runs = application.runs(),
                                   .feed = server.ports().events,
                                   .notifier = application.notifier(),
                                   .faults = faults_,
                                   .clock = clock_,
                                   .log = log_,
                                   .loops = &server.loops()},
      *std::exchange(claimed_, std::nullopt), folder_, server.data() / "earlier-states",
      packages::WatchedFolderOptions{.grace = grace_});
  first_ = TRY(watched->open());
  return watched;
}

std::string ServedFolder::greeting() const {
  const packages::SyncCounts& counts = first_.counts;
  std::string text =
      fmt::format("  watches {}: {} {}; schedules: {} created, {} updated, {} unchanged, {} refused\n",
                  folder_.path().string(), first_.package_count, first_.package_count == 1 ? "package" : "packages",
                  counts.created, counts.updated, counts.unchanged, counts.refused);
  if (first_.package_count == 0 && folder_.which() == WatchedFiles::packages)
    text += "  there is no pipeline.yaml yet; schedule files are watched by carillon serve --watch DIR\n";
  return text;
}

std::string ServedFolder::example() const {
  return first_.schedules.empty() ? std::string{} : first_.schedules.front().document.id.text();
}

std::string ServedFolder::faults() const {
  std::string text;
  for (const pipeline::FileFault& fault : faults_.all()) text += packages::text_of(fault) + "\n";
  return text;
}

}  // namespace carillon
