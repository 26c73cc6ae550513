#include "service/idempotent_requests.hpp"

#include "base/crypto.hpp"

#include <cstddef>
#include <memory>

namespace carillon {
namespace {

constexpr std::size_t key_length_max = 255;

}  // namespace

Served<IdempotencyKey> IdempotentRequests::key_of(const Caller& caller, std::string_view key,
                                                  std::string_view request) {
  if (key.empty() || key.size() > key_length_max)
    return refuse(Refusal::Kind::malformed, "bad_idempotency_key", "an Idempotency-Key has 1 to 255 characters");
  return IdempotencyKey{.key = sha256_hex(fmt::format("{}\n{}", caller.actor, key)),
                        .fingerprint = sha256_hex(request)};
}

Served<std::optional<IdempotencyRecord>> IdempotentRequests::perform_once(const IdempotencyKey& key,
                                                                          const Perform& perform) {
  {
    const std::scoped_lock lock{mutex_};
    if (!in_progress_.insert(key.key).second)
      return refuse(Refusal::Kind::in_progress, "idempotency_in_progress",
                    "a request with this Idempotency-Key is still in progress");
  }
  // Whatever becomes of the request, also if it throws.
  const auto forget = [&](const std::string* done) {
    const std::scoped_lock lock{mutex_};
    in_progress_.erase(*done);
  };
  const std::unique_ptr<const std::string, decltype(forget)> in_progress{&key.key, forget};
  auto known = TRY(store_.find_request(key.key));
  if (known && known->fingerprint != key.fingerprint)
    return refuse(Refusal::Kind::key_reused, "idempotency_key_reused",
                  "this Idempotency-Key was already used for another request");
  if (known) return known;
  if (const auto answer = perform())
    if (const auto kept = store_.keep_answer(key, *answer); !kept)
      log_.warn("answer cannot be kept", {{"error", kept.error().message}});
  return std::nullopt;
}

}  // namespace carillon
