#pragma once

#include "service/caller.hpp"
#include "service/schedules.hpp"

#include <boost/json/value.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carillon::rest {

/// How many schedules one request may be about.
inline constexpr std::size_t batch_count_max = 10'000;
/// And how many it may start.
inline constexpr std::size_t batch_trigger_max = 1'000;

/// One operation for many schedules of one namespace: those of `ids`, or those that fit `filter`.
struct BatchRequest {
  std::string_view operation{};  // `pause`: what `pauseSchedule` does for one
  std::vector<std::string> ids{};
  std::optional<ScheduleFilter> filter{};  // one that names nothing was asked for with `all`
  bool is_preview = false;
};

/// Reads `{operation, ids | filter | all, preview}`. Everything is checked here, so that a request is refused before
/// any of it is done: an empty filter, a null and a label that is no text are faults, never "everything".
/// `name_space` is that of the address.
[[nodiscard]] Served<BatchRequest> read_batch(const boost::json::value& body,
                                              const std::optional<std::string>& name_space);

/// Reads `{ids}`, also as `scheduleIds` or `schedule_ids`; all of them well-formed.
[[nodiscard]] Served<std::vector<std::string>> read_ids(const boost::json::value& body);

}  // namespace carillon::rest
