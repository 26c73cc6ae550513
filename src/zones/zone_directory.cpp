#include "zones/zone_directory.hpp"

#include "zones/file_text.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace carillon {
namespace {

namespace fs = std::filesystem;

// Real folders have about 600 zones on three levels, each also under posix/ and right/.
constexpr std::size_t entry_count_max = 100'000;
constexpr int depth_max = 4;

std::int64_t nanoseconds(const timespec& time) { return time.tv_sec * 1'000'000'000 + time.tv_nsec; }

/// Takes the text up to the separator, and the separator.
std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return taken;
}

/// Whether a name may become part of a path: no way leads out of the folder without a dot.
bool is_plain_name(std::string_view name) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '+' || c == '/';
  };
  return !name.empty() && name.size() <= 64 && name.front() != '/' && std::ranges::all_of(name, is_plain);
}

/// One line of tzdata.zi: `# version 2026f`, `Z Europe/Berlin 0:53:28 - LMT …`, `L America/Los_Angeles US/Pacific`.
void read_line(std::string_view line, ZoneNames& names) {
  const std::string_view kind = take_until(line, ' ');
  const std::string_view first = take_until(line, ' ');
  const std::string_view second = take_until(line, ' ');
  if (kind == "#" && first == "version" && is_plain_name(second)) names.version = second;
  if (kind == "Z" && is_plain_name(first)) names.names.emplace(first);
  if (kind == "L" && is_plain_name(first) && is_plain_name(second)) {
    names.names.emplace(second);
    names.links.emplace(second, first);
  }
}

ZoneNames parse_tzdata(std::string_view text) {
  ZoneNames names{.version = "unknown", .names = {}, .links = {}, .current = {}};
  while (!text.empty()) read_line(take_until(text, '\n'), names);
  return names;
}

/// The third column of zone.tab, as far as such zones exist.
void read_current_names(std::string_view table, ZoneNames& names) {
  while (!table.empty()) {
    std::string_view line = take_until(table, '\n');
    if (line.starts_with('#')) continue;
    take_until(line, '\t');
    take_until(line, '\t');
    const std::string_view name = take_until(line, '\t');
    if (names.names.contains(name)) names.current.emplace(name);
  }
}

bool is_tzif(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return false;
  std::array<char, 4> magic{};
  std::ifstream{path, std::ios::binary}.read(magic.data(), magic.size());
  return std::string_view{magic.data(), magic.size()} == "TZif";
}

bool is_left_out(const fs::path& name) {
  return name == "posix" || name == "right" || name == "localtime" || name == "posixrules";
}

/// Notes a zone file, and the link if it is a symbolic one to another zone of the folder.
void note_file(const fs::path& root, const fs::path& file, ZoneNames& names) {
  const std::string name = file.lexically_relative(root).native();
  if (!is_plain_name(name) || !is_tzif(file)) return;
  names.names.insert(name);
  std::error_code error;
  if (!fs::is_symlink(file, error)) return;
  const std::string target = fs::canonical(file, error).lexically_relative(fs::canonical(root, error)).native();
  if (!error && is_plain_name(target) && target != name) names.links.emplace(name, target);
}

ZoneNames scan(const fs::path& root, std::vector<WatchedFile>& sources) {
  ZoneNames names{.version = "unknown", .names = {}, .links = {}, .current = {}};
  std::error_code error;
  std::size_t entry_count = 0;
  for (fs::recursive_directory_iterator entry{root, error}, end; !error && entry != end; entry.increment(error)) {
    if (++entry_count > entry_count_max) break;
    std::error_code ignored;  // a dangling link is neither a folder nor a zone
    const bool is_folder = entry->is_directory(ignored) && !entry->is_symlink(ignored);
    if (is_left_out(entry->path().lexically_relative(root)) || entry.depth() >= depth_max) {
      entry.disable_recursion_pending();
    } else if (is_folder) {
      sources.push_back(WatchedFile::now(entry->path()));
    } else {
      note_file(root, entry->path(), names);
    }
  }
  return names;
}

Error no_zones_in(const fs::path& directory) {
  std::error_code error;
  const bool is_folder = fs::is_directory(directory, error);
  const std::string reason = error ? error.message() : is_folder ? "no zone files" : "not a folder";
  return {.code = ErrorCode::unavailable,
          .message = fmt::format("no time zone data in {}: {}", directory.native(), reason),
          .hint = "install the tzdata package, or set TZDIR to the folder that holds it",
          .rule = {},
          .position = {},
          .context = {}};
}

}  // namespace

FileStamp FileStamp::of(const fs::path& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return {};
  return {.device = status.st_dev,
          .inode = status.st_ino,
          .size = status.st_size,
          .modified_ns = nanoseconds(status.st_mtim),
          .changed_ns = nanoseconds(status.st_ctim)};
}

WatchedFile WatchedFile::now(fs::path path) {
  const FileStamp stamp = FileStamp::of(path);
  return {.path = std::move(path), .stamp = stamp};
}

ZoneListing read_zone_listing(const fs::path& directory) {
  // Stamps come before the reading: a change in between is then seen as one.
  ZoneListing edition;
  for (const char* file : {"", "tzdata.zi", "zone.tab"}) edition.sources.push_back(WatchedFile::now(directory / file));
  ZoneNames names = parse_tzdata(read_file(directory / "tzdata.zi").value_or(""));
  if (names.names.empty()) names = scan(directory, edition.sources);
  read_current_names(read_file(directory / "zone.tab").value_or(""), names);
  if (names.names.empty()) edition.problem = no_zones_in(directory);
  edition.names = std::make_shared<const ZoneNames>(std::move(names));
  return edition;
}

}  // namespace carillon
