#pragma once

#include "base/instant.hpp"
#include "definitions/policies.hpp"

#include <cstdint>

namespace carillon {

/// How long to wait after the `failed_count`-th failed attempt before the next one: the back-off of that many failures,
/// at most delay_max_of(retry), plus a random part of up to `jitter` of it. `seed` chooses the random part; equal seeds
/// give equal delays, so that a decision made twice is the same decision.
[[nodiscard]] Duration retry_delay(const Policies::Retry& retry, std::int64_t failed_count, std::uint64_t seed);

}  // namespace carillon
