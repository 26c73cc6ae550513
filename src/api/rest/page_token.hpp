#pragma once

#include "api/rest/parameters.hpp"
#include "engine/keys.hpp"
#include "service/runs.hpp"

#include <boost/json/array.hpp>

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

[[nodiscard]] std::string page_token(Seq last);
[[nodiscard]] std::optional<Seq> seq_after(std::string_view token);

[[nodiscard]] std::string page_token(const ItemCursor& next);
[[nodiscard]] std::optional<ItemCursor> item_cursor(std::string_view token);

/// Where the page begins that a request asks for, as one of the functions above reads its `pageToken`; none: with the
/// first row. A token that it cannot read is a fault of the request.
template <typename Place>
[[nodiscard]] std::optional<Place> place_of_page(Parameters& parameters,
                                                 std::optional<Place> (*read)(std::string_view token)) {
  const auto token = parameters.text("pageToken");
  if (!token) return std::nullopt;
  auto place = read(*token);
  if (!place) parameters.fault("pageToken", "pageToken is not from this server");
  return place;
}

/// Most lists: `{"items": …, "nextPageToken": …}`; the token is null on the last page.
[[nodiscard]] std::string page_text(boost::json::array items, const std::optional<std::string>& next_token);

/// The token of the place where a list goes on, if it does.
template <typename Place>
[[nodiscard]] std::optional<std::string> token_of(const std::optional<Place>& next) {
  return next ? std::optional{page_token(*next)} : std::nullopt;
}

}  // namespace carillon::rest
