#include "packages/folder_listing.hpp"

#include "files/beneath.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

namespace carillon::packages {
namespace {

namespace fs = std::filesystem;

/// The names of one folder, those that may matter.
struct FolderNames {
  std::vector<std::string> files;
  std::vector<std::string> folders;
};

enum class EntryKind { file, folder, other };

EntryKind kind_of_entry(int folder, const dirent& entry) {
  struct stat facts{};
  // A link may be one to a file inside; whether it is, is seen when it is opened.
  if (entry.d_type == DT_REG || entry.d_type == DT_LNK) return EntryKind::file;
  if (entry.d_type == DT_DIR) return EntryKind::folder;
  if (entry.d_type != DT_UNKNOWN || ::fstatat(folder, entry.d_name, &facts, AT_SYMLINK_NOFOLLOW) != 0)
    return EntryKind::other;
  if (S_ISDIR(facts.st_mode)) return EntryKind::folder;
  return S_ISREG(facts.st_mode) || S_ISLNK(facts.st_mode) ? EntryKind::file : EntryKind::other;
}

Result<FolderNames> names_in(FileDescriptor folder, WatchedFiles which) {
  const int number = folder.get();
  const std::unique_ptr<DIR, int (*)(DIR*)> entries{::fdopendir(number), &::closedir};
  if (!entries) return fail(ErrorCode::unavailable, "cannot be read: {}", std::strerror(errno));
  (void)folder.release();
  FolderNames names;
  for (;;) {
    errno = 0;
    const dirent* const entry = ::readdir(entries.get());
    if (entry == nullptr && errno != 0) return fail(ErrorCode::unavailable, "cannot be read: {}", std::strerror(errno));
    if (entry == nullptr) break;
    const std::string_view name{entry->d_name};
    const EntryKind kind = kind_of_entry(number, *entry);
    if (kind == EntryKind::folder && !is_passed_over(name)) names.folders.emplace_back(name);
    if (kind == EntryKind::file && may_define_schedules(name, which)) names.files.emplace_back(name);
  }
  std::ranges::sort(names.files);
  std::ranges::sort(names.folders);
  return names;
}

bool is_package_file(std::string_view name) { return name == "pipeline.yaml" || name == "pipeline.yml"; }

class FolderLister {
 public:
  FolderLister(int watched, WatchedFiles which) : watched_{watched}, which_{which} {}

  void list(const std::string& folder, bool is_recursive, std::size_t depth) {
    if (listing_.folders.size() == listed_folder_count_max || depth > folder_depth_max)
      return note(folder, fmt::format("is not looked at: there are more than {} folders, or more than {} in each other",
                                      listed_folder_count_max, folder_depth_max));
    auto opened = open_folder_beneath(watched_, folder);
    if (!opened && opened.error().code == ErrorCode::not_found) return;
    auto names = opened ? names_in(*std::move(opened), which_) : std::unexpected(opened.error());
    if (!names) return note(folder, names.error().message);
    listing_.folders.push_back(folder);
    add_files(folder, names->files);
    if (!is_recursive) return;
    for (const std::string& name : names->folders) list(joined_path(folder, name), true, depth + 1);
  }

  [[nodiscard]] FolderListing take() { return std::move(listing_); }

 private:
  /// In the folder of a package nothing else defines schedules.
  void add_files(const std::string& folder, const std::vector<std::string>& names) {
    const auto package = std::ranges::find_if(names, is_package_file);
    if (package != names.end()) return add_file({.file = joined_path(folder, *package), .is_package = true});
    for (const std::string& name : names) add_file({.file = joined_path(folder, name), .is_package = false});
  }
  void add_file(ListedFile file) {
    if (listing_.files.size() < listed_file_count_max) return listing_.files.push_back(std::move(file));
    note(file.file, fmt::format("is not looked at: there are more than {} files", listed_file_count_max));
  }
  void note(const std::string& file, std::string message) {
    listing_.faults.push_back(
        {.file = file, .position = {}, .code = "unread", .message = std::move(message), .hint = {}});
  }

  int watched_;
  WatchedFiles which_;
  FolderListing listing_;
};

}  // namespace

bool is_passed_over(std::string_view folder_name) {
  return folder_name.starts_with('.') || folder_name == "node_modules";
}

bool may_define_schedules(std::string_view file_name, WatchedFiles which) {
  if (is_package_file(file_name)) return true;
  if (which == WatchedFiles::packages || file_name.starts_with('.')) return false;
  return file_name.ends_with(".yaml") || file_name.ends_with(".yml") || file_name.ends_with(".json");
}

Result<FolderListing> list_folder(const fs::path& watched, const FolderScope& scope, WatchedFiles which) {
  const FileDescriptor top = TRY(open_folder(watched));
  FolderLister lister{top.get(), which};
  lister.list(scope.folder, scope.is_recursive, 0);
  return lister.take();
}

}  // namespace carillon::packages
