#pragma once

#include "base/error.hpp"
#include "calendar/zone_names.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

namespace carillon {

/// What tells one state of a file or folder from the next. A missing file has a stamp too.
struct FileStamp {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t size = -1;
  std::int64_t modified_ns = 0;
  std::int64_t changed_ns = 0;

  [[nodiscard]] static FileStamp of(const std::filesystem::path& path);
  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

/// A file with the stamp it had when it was read.
struct WatchedFile {
  std::filesystem::path path;
  FileStamp stamp;

  [[nodiscard]] static WatchedFile now(std::filesystem::path path);
  [[nodiscard]] bool has_changed() const { return FileStamp::of(path) != stamp; }
};

/// One state of a zoneinfo folder.
struct ZoneListing {
  std::shared_ptr<const ZoneNames> names;  // shared with callers, who may outlive the edition; never null
  std::vector<WatchedFile> sources;        // a change in any of them may mean new names
  std::optional<Error> problem;            // why there are no names
};

/// Reads names, links and version from `tzdata.zi`, or from the files themselves where it is missing, and today's names
/// from `zone.tab`. A folder without zones gives an edition with a problem.
[[nodiscard]] ZoneListing read_zone_listing(const std::filesystem::path& directory);

}  // namespace carillon
