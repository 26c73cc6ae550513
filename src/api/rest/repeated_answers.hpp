#pragma once

#include "api/http/message.hpp"
#include "api/rest/call.hpp"
#include "ports/idempotency_store.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace carillon::rest {

/// What a request with an Idempotency-Key is known by. The fingerprint is that of what the body says: spaces and the
/// order of members make no other request.
[[nodiscard]] IdempotencyKey idempotency_key_of(const http::Request& request, std::string_view method,
                                                const std::string& actor, std::string_view key);

/// How one item of a batch is changed: with a key of its own, made from the batch's, so that a batch which is sent
/// again does to each schedule only what it has not done yet.
[[nodiscard]] WriteTerms terms_of_item(const Call& call, const ScheduleName& item);
/// Whether the item was refused because the batch had done it before.
[[nodiscard]] bool was_done_before(const Refusal& refusal);

/// An answer as it is kept for who sends the request again, and back.
[[nodiscard]] std::string kept_answer(const http::Response& response);
[[nodiscard]] std::optional<http::Response> response_from(const std::string& kept);

/// The answer of a request that was carried out before, when its first answer could not be kept: of the same kind, from
/// what was written with the change. `call.terms.key` must be the one of the first request.
[[nodiscard]] Served<Reply> repeated_reply(Call& call, std::string_view operation, const IdempotencyRecord& record);

}  // namespace carillon::rest
