#pragma once

#include "api/http/message.hpp"
#include "engine/schedule_state.hpp"
#include "service/write_terms.hpp"

#include <string>
#include <string_view>

namespace carillon::rest {

/// The `ETag` of a schedule that is answered with this body: the tag of its definition, and what tells this answer from
/// others about the same definition. `If-Match` is about the former, `If-None-Match` of a `GET` about both.
[[nodiscard]] std::string entity_tag(const ScheduleState& state, std::string_view body);

/// What a writing request asks for with `If-Match` and `If-None-Match` (RFC 9110): lists are any of theirs, a weak tag
/// or one of somebody else never matches. What is no list of tags at all is refused.
[[nodiscard]] Served<Preconditions> preconditions_in(const http::Request& request);

/// Whether `If-None-Match` of a reading request names the answer it would get.
[[nodiscard]] bool is_known_already(const http::Request& request, std::string_view tag);

}  // namespace carillon::rest
