#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "engine/backfill.hpp"
#include "engine/keys.hpp"
#include "ports/executor.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace carillon {

/// How long the log of a run is kept at least, counted from the run's end. The logs of the newest runs of a schedule
/// (`policies.keep.runs`) are kept whatever their age.
[[nodiscard]] constexpr Duration log_kept_for(RunState state) {
  return has_failed(state) ? std::chrono::days{30} : std::chrono::days{7};
}
/// How much disk space the logs of one schedule may take beyond those of its newest runs; the oldest go first.
inline constexpr std::int64_t old_logs_size_max = 64 * 1024 * 1024;
/// The rule of a not_found error of `LogStore::read`: there may have been a log, and it was removed.
inline constexpr std::string_view log_removed_rule = "log-removed";

struct LogPage {
  std::string bytes;
  std::int64_t next_offset = 0;
  std::int64_t size = 0;      // bytes so far, with what was left out
  bool is_at_end = false;     // nothing more will come
  bool is_truncated = false;  // the middle was left out; the bytes say where
};

/// The output of attempts. It is kept apart from the ledger, so that a command that prints much delays no decision. Its
/// size is bounded per attempt: the beginning and the end are kept, and a line between them says how much was left out.
/// May be called from several threads.
class LogStore {
 public:
  virtual ~LogStore() = default;

  /// Adds output of a running attempt. Does not block for long: what cannot be written counts as left out.
  virtual void append(Uid uid, const AttemptKey& key, OutputStream stream, std::string_view bytes) = 0;
  /// The attempt has ended: everything is on disk when this returns.
  virtual Result<> close(Uid uid, const AttemptKey& key) = 0;

  /// Reads from a byte on, at most `count_max` bytes, also while the attempt is running. An error not_found if there is
  /// no such log, with the rule log_removed_rule if it may have been removed by `trim`.
  [[nodiscard]] virtual Result<LogPage> read(Uid uid, const AttemptKey& key, std::int64_t offset,
                                             std::size_t count_max) = 0;
  /// Removes the logs of these runs.
  virtual Result<> remove(Uid uid, const std::vector<Seq>& runs) = 0;
  /// Removes logs of a schedule, the oldest first, until those of runs up to `newest` take at most `size_max` bytes of
  /// disk space. A log store that keeps nothing for long may do nothing.
  virtual Result<> trim(Uid /*uid*/, Seq /*newest*/, std::int64_t /*size_max*/) { return {}; }
};

}  // namespace carillon
