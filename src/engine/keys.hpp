#pragma once

#include "base/ids.hpp"

#include <compare>
#include <cstdint>

namespace carillon {

/// The key of a schedule in the store. An id may be used again after a deletion, a uid never is. Users do not see it.
enum class Uid : std::int64_t {};

/// Position of a row in the ledger. The row of a decision is also the row of its run, so that this is also the key of a
/// run.
enum class Seq : std::int64_t {};

/// One life of a worker, from its start until it ends or its lease does.
enum class SessionId : std::int64_t {};

/// A release of tzdata as a number that ascends with time: 2026b is 2026 · 32 + 2. None for what does not depend on
/// zones.
enum class ZoneEdition : std::int32_t { none = 0 };

/// How users name a schedule.
struct ScheduleKey {
  NamespaceId name_space;
  ScheduleId id;
  friend auto operator<=>(const ScheduleKey&, const ScheduleKey&) = default;
};

/// The last writer of a state. It tells whether a commit whose answer was lost has happened.
struct Writer {
  std::int64_t server = 0;
  std::int64_t batch = 0;  // ascends per server
  friend bool operator==(const Writer&, const Writer&) = default;
};

}  // namespace carillon
