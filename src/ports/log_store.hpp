#pragma once

#include "base/error.hpp"
#include "engine/keys.hpp"
#include "ports/executor.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace carillon {

struct LogPage {
  std::string bytes;
  std::int64_t next_offset = 0;
  std::int64_t size = 0;      // bytes so far, with what was left out
  bool is_at_end = false;     // nothing more will come
  bool is_truncated = false;  // the middle was left out; the bytes say where
};

/// What attempts have printed, apart from the ledger: a chatty command delays no decision. Bounded per attempt: the
/// beginning and the end are kept, and a line between them says how much was left out. May be called from several
/// threads.
class LogStore {
 public:
  virtual ~LogStore() = default;

  /// Adds output of a running attempt. Never blocks for long; what cannot be written is counted as left out.
  virtual void append(Uid uid, const AttemptKey& key, OutputStream stream, std::string_view bytes) = 0;
  /// The attempt has ended: everything is on disk when this returns.
  virtual Result<> close(Uid uid, const AttemptKey& key) = 0;

  /// From a byte on, also while it is being written. An error not_found if there is no such log.
  [[nodiscard]] virtual Result<LogPage> read(Uid uid, const AttemptKey& key, std::int64_t offset,
                                             std::size_t count_max) = 0;
  /// Forgets the logs of these runs.
  virtual Result<> remove(Uid uid, const std::vector<Seq>& runs) = 0;
};

}  // namespace carillon
