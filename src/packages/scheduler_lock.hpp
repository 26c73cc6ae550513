#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "files/file_descriptor.hpp"
#include "ports/clock.hpp"

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace carillon::packages {

/// The name of the lock file in the folder of packages.
inline constexpr std::string_view lock_file_name = ".scheduler.lock";

/// How often the heartbeat is to be written, and how old it may be before its writer counts as gone.
struct HeartbeatTimes {
  Duration interval = std::chrono::seconds{10};
  Duration age_max = std::chrono::seconds{60};
};

/// Who has a lock, as its file says.
struct LockHolder {
  pid_t pid = 0;
  std::string hostname;
  Instant started_at;
  Instant heartbeat;
  friend bool operator==(const LockHolder&, const LockHolder&) = default;
};

[[nodiscard]] std::string write_lock_holder(const LockHolder& holder);
[[nodiscard]] Result<LockHolder> read_lock_holder(std::string_view text);

/// This process, on this machine.
struct ProcessIdentity {
  pid_t pid = 0;
  std::string hostname;
};
[[nodiscard]] ProcessIdentity own_identity();

/// The right of one scheduler to a folder of packages, for as long as this object lives. The lock itself is one of the
/// open file, which ends with the process however that ends; what the file says is for people, and for schedulers that
/// know only the file.
class SchedulerLock {
 public:
  /// A conflict that says who has the folder, where, and since when: another process holds the lock, or the file's
  /// heartbeat is fresh and its process is alive, or on another machine. A file that says nothing readable and is not
  /// locked is taken over.
  [[nodiscard]] static Result<SchedulerLock> acquire(const std::filesystem::path& folder, Clock& clock,
                                                     const ProcessIdentity& self = own_identity(),
                                                     Duration heartbeat_age_max = HeartbeatTimes{}.age_max);
  SchedulerLock(SchedulerLock&&) = default;
  SchedulerLock& operator=(SchedulerLock&&) = delete;
  /// Removes the file, if it still is the one that was locked.
  ~SchedulerLock();

  /// Writes the time into the file. To be called every HeartbeatTimes::interval, from one thread. An error
  /// `unavailable` if it cannot be written, or if the file was removed or replaced: a foreign scheduler may then think
  /// that the folder is free.
  [[nodiscard]] Result<> beat(Instant now);

 private:
  SchedulerLock(std::filesystem::path path, FileDescriptor file, LockHolder holder)
      : path_{std::move(path)}, file_{std::move(file)}, holder_{std::move(holder)} {}

  std::filesystem::path path_;
  FileDescriptor file_;
  LockHolder holder_;
};

}  // namespace carillon::packages
