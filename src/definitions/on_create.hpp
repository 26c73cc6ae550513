#pragma once

#include "base/instant.hpp"
#include "definitions/words.hpp"
#include "document/reader.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace carillon {

/// What a request for a backfill says.
struct BackfillOptions {
  Instant from;
  Instant to;
  BackfillOrder order = BackfillOrder::oldest_first;
  Reprocess reprocess = Reprocess::missing;
  std::int64_t concurrency = 1;
  bool is_exclusive = false;
  std::optional<OverlapPolicy> overlap{};  // through the schedule's slot; none: a lane of its own
  friend bool operator==(const BackfillOptions&, const BackfillOptions&) = default;
};

/// What is done in the moment a schedule is created, in the same write. It says nothing to one that exists.
struct OnCreate {
  struct Pause {
    std::string reason{};
    std::optional<Instant> until{};
    friend bool operator==(const Pause&, const Pause&) = default;
  };
  struct Trigger {
    OverlapPolicy overlap = OverlapPolicy::allow_all;
    std::optional<Instant> nominal{};
    std::optional<std::string> payload{};  // JSON
    friend bool operator==(const Trigger&, const Trigger&) = default;
  };
  std::optional<Pause> pause{};
  std::optional<Trigger> trigger{};
  std::vector<BackfillOptions> backfills{};
  friend bool operator==(const OnCreate&, const OnCreate&) = default;
};

inline constexpr std::int64_t backfill_concurrency_max = 1'000;
inline constexpr std::size_t pause_reason_length_max = 1'000;
inline constexpr std::size_t first_backfills_max = 100;

/// With an overlap policy as many at once as may be, else one.
[[nodiscard]] BackfillOptions read_backfill_options(const boost::json::value& document, std::string pointer,
                                                    Problems& problems);
[[nodiscard]] OnCreate read_on_create(const boost::json::value& document, std::string pointer, Problems& problems);

/// The members that say something.
[[nodiscard]] boost::json::object write_on_create(const OnCreate& first);

}  // namespace carillon
