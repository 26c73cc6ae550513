#pragma once

#include "base/instant.hpp"
#include "packages/file_faults.hpp"
#include "packages/package_folder.hpp"
#include "packages/package_state_files.hpp"
#include "ports/clock.hpp"
#include "ports/log.hpp"
#include "service/caller.hpp"
#include "service/schedules.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace carillon::packages {

/// How long a schedule stays after its file is gone: a switch of branches and back loses nothing.
inline constexpr Duration removal_grace = std::chrono::minutes{10};

/// What became of the schedules of some files.
struct SyncCounts {
  std::size_t created = 0;
  std::size_t updated = 0;
  std::size_t unchanged = 0;
  std::size_t refused = 0;  // faults of files and refused definitions
  bool must_retry = false;  // something could not be done now, and may be done later
};

/// A schedule that a file of the watched folder defines, as the store knows it.
struct FileManagedSchedule {
  ScheduleName name;
  Uid uid{};
  std::string file;
  std::string package;                      // empty: it stands in a file of schedules
  std::optional<Duration> missing_since{};  // its file does not define it any more; since boot
};

/// Keeps the schedules of the store as the files say: creates what is new, edits what has changed, deletes what has
/// been gone for removal_grace. A file with a fault changes nothing: its last good definition stays in force. Only
/// schedules that carry the label of a file are touched. For one thread.
class PackageSync {
 public:
  PackageSync(Schedules& schedules, Clock& clock, Log& log, PackageStateFiles& states, FileFaults& faults,
              Duration grace = removal_grace)
      : schedules_{schedules}, clock_{clock}, log_{log}, states_{states}, faults_{faults}, grace_{grace} {}

  /// Reads which schedules files have defined so far. To be called once, before everything else.
  [[nodiscard]] Result<> load();

  /// `contents` is what all files of the scopes say now.
  SyncCounts apply(std::span<const FolderScope> scopes, const FolderContents& contents);

  /// Deletes what has been gone for long enough.
  void remove_missing();
  /// When remove_missing has something to do, by Clock::since_boot.
  [[nodiscard]] std::optional<Duration> next_removal() const;

  /// The schedules that have a package, whether or not its file is there.
  [[nodiscard]] std::vector<FileManagedSchedule> packages() const;

  /// Who the changes are made by, in the audit log and the ledger.
  [[nodiscard]] static Caller keeper();

 private:
  struct Outcome {
    SyncCounts counts;
    std::vector<pipeline::FileFault> faults;
  };
  void apply_one(const FiledSchedule& filed, Outcome& outcome);
  void create(const FiledSchedule& filed, Outcome& outcome);
  void restore(const FiledSchedule& filed, const Result<std::optional<PackageState>>& state);
  [[nodiscard]] std::optional<pipeline::FileFault> conflict_of(const FiledSchedule& filed,
                                                               const ScheduleRecord& before) const;
  void remember(const FiledSchedule& filed, const ScheduleAnswer& answer);
  void refuse(const FiledSchedule& filed, const Refusal& refusal, Outcome& outcome);
  /// Returns whether it is gone; if not, it is tried again later.
  [[nodiscard]] bool remove(FileManagedSchedule& managed, Duration now);
  void mark_missing(std::span<const FolderScope> scopes, const FolderContents& contents, Outcome& outcome);

  Schedules& schedules_;
  Clock& clock_;
  Log& log_;
  PackageStateFiles& states_;
  FileFaults& faults_;
  const Duration grace_;
  std::map<std::string, FileManagedSchedule, std::less<>> managed_;  // by namespace and id, in lower case
};

}  // namespace carillon::packages
