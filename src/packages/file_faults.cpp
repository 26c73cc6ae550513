#include "packages/file_faults.hpp"

#include "packages/package_folder.hpp"

#include <algorithm>

namespace carillon::packages {
namespace {

bool is_in(std::span<const FolderScope> scopes, const std::string& file) {
  return std::ranges::any_of(scopes,
                             [&](const FolderScope& scope) { return scope.contains(file) || scope.folder == file; });
}

bool has_equal(std::span<const pipeline::FileFault> faults, const pipeline::FileFault& fault) {
  return std::ranges::find(faults, text_of(fault), text_of) != faults.end();
}

}  // namespace

std::vector<pipeline::FileFault> FileFaults::replace(std::span<const FolderScope> scopes,
                                                     std::span<const pipeline::FileFault> faults,
                                                     const IsInForce& is_in_force) {
  const std::scoped_lock lock{mutex_};
  std::vector<pipeline::FileFault> news;
  for (const pipeline::FileFault& fault : faults)
    if (!has_equal(faults_, fault)) news.push_back(fault);
  std::erase_if(faults_, [&](const pipeline::FileFault& fault) { return is_in(scopes, fault.file); });
  for (const pipeline::FileFault& fault : faults)
    if (faults_.size() < file_fault_count_max) faults_.push_back(fault);
  files_in_force_.clear();
  for (const pipeline::FileFault& fault : faults_)
    if (is_in_force(fault.file)) files_in_force_.insert(fault.file);
  return news;
}

std::vector<Finding> FileFaults::findings(std::string_view file) const {
  const std::scoped_lock lock{mutex_};
  std::vector<Finding> findings;
  for (const pipeline::FileFault& fault : faults_)
    if (is_at_or_below(file, fault.file))
      findings.push_back({.code = "broken-file",
                          .severity = Severity::error,
                          .message = text_of(fault) + "; the last good definition stays in force",
                          .fix = "mend the file",
                          .at = {},
                          .pointer = {}});
  return findings;
}

std::vector<std::string> FileFaults::unscheduled() const {
  const std::scoped_lock lock{mutex_};
  std::vector<std::string> lines;
  for (const pipeline::FileFault& fault : faults_)
    if (!files_in_force_.contains(fault.file)) lines.push_back(text_of(fault));
  return lines;
}

std::vector<pipeline::FileFault> FileFaults::all() const {
  const std::scoped_lock lock{mutex_};
  return faults_;
}

}  // namespace carillon::packages
