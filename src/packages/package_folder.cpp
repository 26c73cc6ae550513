#include "packages/package_folder.hpp"

#include "files/beneath.hpp"
#include "packages/filed_definitions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace carillon::packages {
namespace {

pipeline::FileFault fault_of(const std::string& file, const Error& error) {
  return {.file = file, .position = {}, .code = "unread", .message = error.message, .hint = error.hint};
}

void read_listed_file(int top, const ListedFile& listed, const FiledDefinitionOptions& zones,
                      FolderContents& contents) {
  const auto text = read_file_beneath(top, listed.file, document_size_max);
  // It was deleted a moment ago.
  if (!text && text.error().code == ErrorCode::not_found) return;
  if (!text) return contents.faults.push_back(fault_of(listed.file, text.error()));
  contents.package_count += listed.is_package;
  FiledDefinitions definitions =
      listed.is_package ? read_package_text(listed.file, *text, zones) : read_schedules_text(listed.file, *text, zones);
  std::ranges::move(definitions.faults, std::back_inserter(contents.faults));
  std::ranges::move(definitions.schedules, std::back_inserter(contents.schedules));
}

std::string key_without_case(const ScheduleDocument& document) {
  std::string key = document.name_space.text() + "/" + document.id.text();
  std::ranges::transform(key, key.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 32) : c; });
  return key;
}

void refuse_defined_twice(FolderContents& contents) {
  std::map<std::string, std::string> first;
  std::erase_if(contents.schedules, [&](const FiledSchedule& schedule) {
    const auto [other, is_new] = first.try_emplace(key_without_case(schedule.document), schedule.file);
    if (is_new) return false;
    contents.faults.push_back(defined_twice(schedule, other->second));
    return true;
  });
}

}  // namespace

bool FolderContents::has_fault(std::string_view file) const {
  return std::ranges::any_of(faults,
                             [&](const pipeline::FileFault& fault) { return is_at_or_below(file, fault.file); });
}

std::string text_of(const pipeline::FileFault& fault) {
  std::string text = fault.file;
  if (fault.position.line > 0) text += fmt::format(":{}:{}", fault.position.line, fault.position.column);
  text += ": " + fault.message;
  if (!fault.hint.empty()) text += fmt::format(" ({})", fault.hint);
  return text;
}

FolderContents PackageFolder::read(const FolderScope& scope) const {
  FolderContents contents;
  auto listing = list_folder(path_, scope, options_.which);
  const auto top = open_folder(path_);
  if (!listing || !top) {
    contents.faults.push_back(fault_of(".", listing ? top.error() : listing.error()));
    return contents;
  }
  contents.faults = std::move(listing->faults);
  const FiledDefinitionOptions zones{.package_timezone = options_.default_timezone,
                                     .schedule_timezone = options_.schedule_timezone,
                                     .kept_run_count = options_.kept_run_count};
  for (const ListedFile& listed : listing->files) read_listed_file(top->get(), listed, zones, contents);
  refuse_defined_twice(contents);
  return contents;
}

}  // namespace carillon::packages
