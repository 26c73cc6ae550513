#pragma once

#include "base/instant.hpp"
#include "packages/file_faults.hpp"
#include "packages/package_folder.hpp"
#include "packages/package_state_files.hpp"
#include "ports/clock.hpp"
#include "ports/log.hpp"
#include "service/caller.hpp"
#include "service/runs.hpp"
#include "service/schedules.hpp"

#include <cstddef>
#include <functional>
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

/// A schedule was created, changed or deleted because a file was.
struct PackageChange {
  enum class Kind { added, updated, removed };

  std::string schedule_id;
  std::string package;  // empty: it stands in a file of schedules
  Kind kind = Kind::added;
};
/// Called when the change is in the store, from the thread that made it. Must not wait.
using OnPackageChange = std::function<void(const PackageChange& change)>;

/// What the synchronisation works with. All of it outlives it.
struct PackageSyncParts {
  Schedules& schedules;
  Runs& runs;
  Clock& clock;
  Log& log;
  PackageStateFiles& states;
  FileFaults& faults;
  OnPackageChange on_change{};
};

/// Keeps the schedules of the store as the files say: creates what is new, edits what has changed, deletes what has
/// been gone for removal_grace. A file with a fault changes nothing: its last good definition stays in force. Only
/// schedules that carry the label of a file are touched. For one thread.
class PackageSync {
 public:
  explicit PackageSync(const PackageSyncParts& parts, Duration grace = removal_grace)
      : schedules_{parts.schedules},
        runs_{parts.runs},
        clock_{parts.clock},
        log_{parts.log},
        states_{parts.states},
        faults_{parts.faults},
        on_change_{parts.on_change},
        grace_{grace} {}

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
  /// What became of the definition of one file in the store.
  struct Written {
    std::optional<Schedules::Put> put{};
    bool is_changed = false;
    std::optional<Refusal> refusal{};                                           // why it was not put
    std::optional<pipeline::FileFault> fault{};                                 // the same
    Result<std::optional<PackageState>> state = std::optional<PackageState>{};  // that a new package has brought
  };
  /// Changes the store and nothing here, so that several threads may do it: what they write at the same time is one
  /// transaction.
  [[nodiscard]] Written write(const FiledSchedule& filed) const;
  [[nodiscard]] Written write_new(const FiledSchedule& filed) const;
  [[nodiscard]] std::vector<Written> write_all(std::span<const FiledSchedule> schedules) const;
  void note(const FiledSchedule& filed, const Written& written, Outcome& outcome);
  void restore(const FiledSchedule& filed, const ScheduleAnswer& answer,
               const Result<std::optional<PackageState>>& state);
  void make_up_for_move(const FiledSchedule& filed, const ScheduleAnswer& answer, const PackageState& earlier,
                        std::optional<Instant> written_at);
  [[nodiscard]] Instant undecided_since(const PackageState& earlier) const;
  [[nodiscard]] std::optional<pipeline::FileFault> conflict_of(const FiledSchedule& filed,
                                                               const ScheduleRecord& before) const;
  void tell(std::string schedule_id, std::string package, PackageChange::Kind kind) const;
  void remember(const FiledSchedule& filed, const ScheduleAnswer& answer);
  void refuse(const FiledSchedule& filed, const Refusal& refusal, Outcome& outcome);
  /// Returns whether it is gone; if not, it is tried again later.
  [[nodiscard]] bool remove(FileManagedSchedule& managed, Duration now);
  void mark_missing(std::span<const FolderScope> scopes, const FolderContents& contents, Outcome& outcome);

  Schedules& schedules_;
  Runs& runs_;
  Clock& clock_;
  Log& log_;
  PackageStateFiles& states_;
  FileFaults& faults_;
  const OnPackageChange on_change_;
  const Duration grace_;
  std::map<std::string, FileManagedSchedule, std::less<>> managed_;  // by namespace and id, in lower case
};

}  // namespace carillon::packages
