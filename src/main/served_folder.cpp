#include "main/served_folder.hpp"

#include "base/quoted.hpp"
#include "cli/settings/settings.hpp"
#include "files/private_file.hpp"

#include <fmt/format.h>

#include <system_error>
#include <utility>

namespace carillon {
namespace {

namespace fs = std::filesystem;

using packages::WatchedFiles;

Result<fs::path> existing_folder(const std::string& name) {
  std::error_code error;
  fs::path path = fs::canonical(name, error);
  if (!error && fs::is_directory(path, error)) return path;
  Error missing = fail(ErrorCode::not_found, "the folder {} is not there", carillon::quoted(name)).error();
  missing.hint = "a folder with pipelines in it: NAME/pipeline.yaml";
  return std::unexpected(std::move(missing));
}

/// The zone of packages that name none: the machine's, if it has one that schedules can have.
std::string package_zone(const cli::Console& console, ZoneSource& zones) {
  if (auto zone = console.environment("SCHEDULER_DEFAULT_TIMEZONE")) return *zone;
  std::string zone = cli::local_zone_name(console);
  return zones.zone(zone) ? zone : "UTC";
}

/// A store inside a project is none of version control's business.
void ignore_in_version_control(const fs::path& data, Log& log) {
  const auto written = write_new_file(data / ".gitignore", "*\n");
  if (!written && written.error().code != ErrorCode::conflict)
    log.warn(".gitignore of the data folder was not written", {{"error", written.error().message}});
}

}  // namespace

Result<std::unique_ptr<ServedFolder>> ServedFolder::claim(const cli::ServeRequest& request, const cli::Console& console,
                                                          ZoneSource& zones, Clock& clock, Log& log) {
  const WatchedFiles which =
      request.watched->has_schedule_files ? WatchedFiles::packages_and_schedules : WatchedFiles::packages;
  const fs::path path = TRY(existing_folder(request.watched->folder));
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
}

Result<std::unique_ptr<packages::WatchedFolder>> ServedFolder::open(Server& server, ApiServer& api) {
  if (server.data().filename() == ".carillon") ignore_in_version_control(server.data(), log_);
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
      *std::exchange(claimed_, std::nullopt), folder_, server.data() / "earlier-states", grace_);
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
