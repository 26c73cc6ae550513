#include "main/pipeline_folder_catalog.hpp"

#include "document/document.hpp"
#include "executors/pipeline/prepared_run.hpp"
#include "files/beneath.hpp"
#include "packages/folder_listing.hpp"
#include "packages/package_id.hpp"

#include <utility>

namespace carillon {
namespace {

PipelineFault fault_of(const pipeline::FileFault& fault) {
  return {.file = fault.file,
          .line = fault.position.line,
          .column = fault.position.line == 0 ? 0 : fault.position.column,
          .code = fault.code,
          .message = fault.message,
          .hint = fault.hint};
}

std::vector<PipelineFault> faults_of(const std::vector<pipeline::FileFault>& faults) {
  std::vector<PipelineFault> all;
  for (const pipeline::FileFault& fault : faults) all.push_back(fault_of(fault));
  return all;
}

PipelineFault unreadable(const std::string& file, std::string message) {
  return {.file = file, .code = "unreadable-file", .message = std::move(message)};
}

}  // namespace

PipelineEntry PipelineFolderCatalog::entry_of(const std::string& file) const {
  PipelineEntry entry{.path = packages::folder_of(file), .file = file};
  const auto folder = open_folder(folder_);
  auto text = folder ? read_file_beneath(folder->get(), file, yaml_size_max)
                     : Result<std::string>{std::unexpected(folder.error())};
  if (!text) {
    entry.faults.push_back(unreadable(file, text.error().message));
    return entry;
  }
  auto read = pipeline::read_pipeline_text(file, *text, default_timezone_);
  if (!read) {
    entry.faults = faults_of(read.error());
    return entry;
  }
  entry.name = std::move(read->name);
  entry.description = std::move(read->description);
  if (read->schedule) entry.schedule = packages::schedule_id_of(entry.path).text();
  return entry;
}

Result<PipelineList> PipelineFolderCatalog::list(std::size_t from, std::size_t count_max) {
  const packages::FolderListing listing = TRY(packages::list_folder(folder_, {}, packages::WatchedFiles::packages));
  PipelineList list{.items = {}, .faults = faults_of(listing.faults)};
  for (const packages::ListedFile& listed : listing.files) {
    if (!listed.is_package) continue;
    const std::size_t place = list.total++;
    if (place >= from && list.items.size() < count_max) list.items.push_back(entry_of(listed.file));
  }
  return list;
}

Result<std::vector<PipelineFault>> PipelineFolderCatalog::check_package(const std::string& path) {
  const pipeline::PackagePlace place{.folder = folder_, .package = path, .workspace = {}};
  {
    auto files = TRY(pipeline::PackageFiles::open(place));
    TRY(files.read_document());
  }
  const auto prepared = pipeline::prepare_run(place, default_timezone_);
  if (prepared) return std::vector<PipelineFault>{};
  if (prepared.error().faults.empty()) return std::vector{unreadable(path, prepared.error().error)};
  std::vector<PipelineFault> faults = faults_of(prepared.error().faults);
  for (PipelineFault& fault : faults) fault.file = packages::joined_path(path, fault.file);
  return faults;
}

}  // namespace carillon
