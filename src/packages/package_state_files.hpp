#pragma once

#include "base/error.hpp"
#include "packages/schedule_state_file.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace carillon::packages {

/// The `.schedule-state.json` of packages, and what they said before this store knew the package: a package that was
/// moved here keeps its history. Paths of packages are relative to the watched folder. For one thread.
class PackageStateFiles {
 public:
  /// `earlier` is a folder of the server's own, made when it is needed.
  PackageStateFiles(std::filesystem::path watched, std::filesystem::path earlier)
      : watched_{std::move(watched)}, earlier_{std::move(earlier)} {}

  /// None if there is no file. Error code corrupt if it cannot be understood, unavailable if it cannot be read.
  [[nodiscard]] Result<std::optional<PackageState>> read(const std::string& package) const;
  /// When the file was last written, as far as that is known: a copy may be as old as what it was copied from.
  [[nodiscard]] std::optional<Instant> written_at(const std::string& package) const;
  /// Renames a file that cannot be understood, so that nothing is lost when a new one is written. Returns its new name.
  [[nodiscard]] Result<std::string> set_aside(const std::string& package) const;
  /// Writes the file, if it differs and the package's folder is there: under its name there is always a whole one.
  [[nodiscard]] Result<> write(const std::string& package, const PackageState& state) const;

  /// Keeps what a package said when its schedule was created here.
  [[nodiscard]] Result<> keep_earlier(const PackageState& state) const;
  /// What was kept for a schedule; none if nothing was, or it cannot be read any more.
  [[nodiscard]] std::optional<PackageState> earlier(const std::string& schedule_id) const;

 private:
  [[nodiscard]] std::filesystem::path file_of(const std::string& package) const;

  std::filesystem::path watched_;
  std::filesystem::path earlier_;
};

}  // namespace carillon::packages
