#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"

#include <boost/json/value.hpp>

#include <cstddef>
#include <optional>

namespace carillon::cli {

/// One question of a batch.
struct BatchRequest {
  const boost::json::value* spec = nullptr;  // in the tree that was read; never null
  Instant from;
  bool is_backward = false;
  std::optional<Instant> until;
  std::size_t count = 1;
  bool has_count = false;
  Instant created_at;
};

/// Reads the members of a question. Left out, `after` and `createdAt` are `now`; `count` is 1, or without limit of its
/// own when `until` is there.
[[nodiscard]] Result<BatchRequest> read_batch_request(const boost::json::value& tree, Instant now);

}  // namespace carillon::cli
