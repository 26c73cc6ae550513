#pragma once

#include "engine/keys.hpp"
#include "service/runs.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace carillon::rest {

// Where a list goes on. Opaque to callers, safe in a query, and bound to nothing but the place: rows that come and go
// in between neither repeat nor hide others.

[[nodiscard]] std::string page_token(const ScheduleKey& last);
[[nodiscard]] std::optional<ScheduleKey> schedule_after(std::string_view token);

[[nodiscard]] std::string page_token(std::int64_t last);
[[nodiscard]] std::optional<std::int64_t> number_after(std::string_view token);

[[nodiscard]] std::string page_token(const ItemCursor& next);
[[nodiscard]] std::optional<ItemCursor> item_cursor(std::string_view token);

}  // namespace carillon::rest
