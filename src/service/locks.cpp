#include "service/locks.hpp"

#include "base/crypto.hpp"
#include "base/duration_text.hpp"
#include "base/quoted.hpp"
#include "base/token_text.hpp"
#include "definitions/new_definition.hpp"

namespace carillon {
namespace {

constexpr Duration ttl_default = std::chrono::minutes{1};
constexpr Duration ttl_min = std::chrono::seconds{1};
constexpr Duration ttl_max = std::chrono::days{1};
constexpr std::size_t token_size_max = 100;
constexpr std::size_t owner_size_max = 200;
constexpr std::size_t made_token_length = 26;

std::string made_token() {
  std::string token = random_bytes(made_token_length);
  for (char& c : token) c = token_text::letters[static_cast<unsigned char>(c) & 31];
  return token;
}

Served<Duration> checked_ttl(std::optional<Duration> ttl) {
  const Duration length = ttl.value_or(ttl_default);
  if (length >= ttl_min && length <= ttl_max) return length;
  return refuse(Refusal::Kind::invalid, "invalid", "ttl must be from {} to {}", to_text(ttl_min), to_text(ttl_max));
}

Served<> check_token(const std::string& token) {
  if (!token.empty() && token.size() <= token_size_max && !has_hidden_character(token)) return {};
  return refuse(Refusal::Kind::invalid, "invalid", "token must have 1 to {} bytes", token_size_max);
}

std::unexpected<Refusal> lost_lock(const std::string& name) {
  return std::unexpected(Refusal{Refusal::Kind::ended, "lock_lost",
                                 fmt::format("this token does not hold lock {}", quoted(name)),
                                 "its time was over, or it was released: acquire it again"});
}

// No id has a slash, and no lock of the servers themselves either.
Served<std::string> stored_lock_name(const Caller& caller, const std::optional<std::string>& name_space,
                                     const std::string& name) {
  const NamespaceId own = TRY(caller.namespace_of(name_space));
  if (!is_id_text(name)) return refuse(Refusal::Kind::invalid, "invalid", "{} is not a name for a lock", quoted(name));
  return own.text() + "/" + name;
}

}  // namespace

Served<LockAnswer> Locks::acquire(const Caller& caller, const std::optional<std::string>& name_space,
                                  const std::string& name, const LockTerms& terms) {
  const std::string stored = TRY(stored_lock_name(caller, name_space, name));
  const Duration ttl = TRY(checked_ttl(terms.ttl));
  if (terms.token) TRY(check_token(*terms.token));
  if (terms.owner.size() > owner_size_max || has_hidden_character(terms.owner))
    return refuse(Refusal::Kind::invalid, "invalid", "owner must have at most {} bytes", owner_size_max);
  const std::string token = terms.token ? *terms.token : made_token();
  const LockAttempt attempt = TRY(parts_.store.locks->acquire_lock(
      {.name = stored, .token = token, .owner = terms.owner.empty() ? caller.shown_name() : terms.owner, .ttl = ttl}));
  if (attempt.is_acquired) return LockAnswer{.name = name, .token = token, .lock = attempt.lock};
  return std::unexpected(Refusal{Refusal::Kind::exists, "lock_held",
                                 fmt::format("lock {} is held by {}", quoted(name), quoted(attempt.lock.owner)),
                                 fmt::format("it is free at {} unless it is extended", to_text(attempt.lock.until))});
}

Served<LockAnswer> Locks::extend(const Caller& caller, const std::optional<std::string>& name_space,
                                 const std::string& name, const std::string& token, std::optional<Duration> ttl) {
  const std::string stored = TRY(stored_lock_name(caller, name_space, name));
  const Duration length = TRY(checked_ttl(ttl));
  TRY(check_token(token));
  const auto held = TRY(parts_.store.locks->extend_lock(stored, token, length));
  if (!held) return lost_lock(name);
  return LockAnswer{.name = name, .token = token, .lock = *held};
}

Served<> Locks::release(const Caller& caller, const std::optional<std::string>& name_space, const std::string& name,
                        const std::string& token) {
  const std::string stored = TRY(stored_lock_name(caller, name_space, name));
  TRY(check_token(token));
  if (!TRY(parts_.store.locks->release_lock(stored, token))) return lost_lock(name);
  return {};
}

Served<LockAnswer> Locks::find(const Caller& caller, const std::optional<std::string>& name_space,
                               const std::string& name) {
  const std::string stored = TRY(stored_lock_name(caller, name_space, name));
  const auto held = TRY(parts_.store.locks->read_lock(stored));
  if (!held) return refuse(Refusal::Kind::not_found, "not_found", "nobody holds lock {}", quoted(name));
  return LockAnswer{.name = name, .token = {}, .lock = *held};
}

}  // namespace carillon
