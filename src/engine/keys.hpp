#pragma once

#include "base/ids.hpp"

#include <compare>
#include <cstdint>

namespace carillon {

/// A schedule inside the store. Ids may be used again after a deletion, uids never are; users do not see them.
enum class Uid : std::int64_t {};

/// Position of a row in the ledger; the row of a decision is also the row of its run, so this is the run's key.
enum class Seq : std::int64_t {};

/// One life of a worker, from its start until it ends or its lease does.
enum class SessionId : std::int64_t {};

/// A release of tzdata by its place in time; none for what does not depend on zones. 2026b is 2026 · 32 + 2.
enum class ZoneEdition : std::int32_t { none = 0 };

/// How users name a schedule.
struct ScheduleKey {
  NamespaceId name_space;
  ScheduleId id;
  friend auto operator<=>(const ScheduleKey&, const ScheduleKey&) = default;
};

/// Who wrote a state last. It settles whether a commit whose answer was lost has happened.
struct Writer {
  std::int64_t server = 0;
  std::int64_t batch = 0;  // ascends per server
  friend bool operator==(const Writer&, const Writer&) = default;
};

}  // namespace carillon
