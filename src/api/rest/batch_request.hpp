#pragma once

#include "base/instant.hpp"
#include "service/schedule_batches.hpp"

#include <boost/json/value.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carillon::rest {

/// Reads `{operation, ids | filter | all, patch, preview, token}`, the filter as members or as a search. Everything is
/// checked here, so that a request is refused before any of it is done: an empty filter, a null and a label that is no
/// text are faults, never "everything". `name_space` is that of the address.
[[nodiscard]] Served<ScheduleBatch> read_batch(const boost::json::value& body,
                                               const std::optional<std::string>& name_space, Instant now);

/// The word of a request for an operation on one schedule: `pause`.
[[nodiscard]] std::string_view batch_word(OperationId operation);

/// Reads `{ids}`, also as `scheduleIds` or `schedule_ids`; all of them well-formed.
[[nodiscard]] Served<std::vector<std::string>> read_ids(const boost::json::value& body);

}  // namespace carillon::rest
