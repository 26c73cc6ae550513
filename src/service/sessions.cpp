#include "service/sessions.hpp"

#include "base/crypto.hpp"
#include "base/token_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>

namespace carillon {
namespace {

constexpr std::string_view link_prefix = "carillon_link_";
constexpr std::size_t link_code_length = 40;
constexpr std::size_t session_id_length = 16;
constexpr std::size_t session_seal_length = 32;

std::string session_letters(std::string bytes, std::size_t count) {
  bytes.resize(std::min(bytes.size(), count));
  for (char& c : bytes) c = token_text::letters[static_cast<unsigned char>(c) & 31];
  return bytes;
}

/// `<token>_<end in seconds>_<session>_<seal>`
struct SessionText {
  std::string_view token;
  Instant ends_at;
  std::string_view id;
  std::string_view seal;
  std::string_view sealed_part;
};

std::optional<SessionText> split_session(std::string_view text) {
  const std::size_t first = text.find('_');
  const std::size_t second = first == std::string_view::npos ? first : text.find('_', first + 1);
  const std::size_t third = second == std::string_view::npos ? second : text.find('_', second + 1);
  if (third == std::string_view::npos) return std::nullopt;
  SessionText parts{.token = text.substr(0, first),
                    .ends_at = {},
                    .id = text.substr(second + 1, third - second - 1),
                    .seal = text.substr(third + 1),
                    .sealed_part = text.substr(0, third)};
  const std::string_view digits = text.substr(first + 1, second - first - 1);
  std::int64_t seconds = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), seconds);
  if (error != std::errc{} || stop != digits.data() + digits.size() || digits.size() > 11) return std::nullopt;
  parts.ends_at = Instant{std::chrono::seconds{seconds}};
  if (parts.token.size() != token_text::id_length || parts.id.size() != session_id_length) return std::nullopt;
  return parts;
}

std::unexpected<Refusal> no_session() {
  return std::unexpected(Refusal{Refusal::Kind::unauthenticated, "unauthenticated", "a valid token is needed",
                                 "the session has ended; sign in again: carillon open"});
}

std::string token_of(const Caller& caller) {
  constexpr std::string_view kind = "token:";
  return caller.actor.starts_with(kind) ? caller.actor.substr(kind.size()) : std::string{};
}

/// A session cannot lengthen itself, or make another.
Served<> expect_token(const Caller& caller) {
  if (!caller.session && !token_of(caller).empty()) return {};
  return std::unexpected(Refusal{Refusal::Kind::forbidden, "token_needed", "a session cannot open another session",
                                 "use a token: carillon open"});
}

}  // namespace

Sessions::Sessions(const ServiceParts& parts, Access& access)
    : parts_{parts},
      access_{access},
      key_{hmac_sha256(parts.run_ids.derived_key("sessions"), parts.session_secret)},
      cookie_name_{"carillon_session_" + session_letters(hmac_sha256(key_, "cookie"), 8)} {}

std::string Sessions::sealed(std::string_view purpose, std::string_view text) const {
  return session_letters(hmac_sha256(key_, fmt::format("{}\n{}", purpose, text)), session_seal_length);
}

Served<OpenedSession> Sessions::open(const Caller& caller) {
  TRY(expect_token(caller));
  const StoredToken token = TRY(access_.valid_token(token_of(caller)));
  Instant ends_at = parts_.clock.now() + lifetime;
  if (token.expires_at) ends_at = std::min(ends_at, *token.expires_at);
  // A cookie has whole seconds.
  ends_at = std::chrono::floor<std::chrono::seconds>(ends_at);
  const std::string id = session_letters(random_bytes(session_id_length), session_id_length);
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(ends_at.time_since_epoch()).count();
  const std::string text = fmt::format("{}_{}_{}", token.id, seconds, id);
  TRY(note(caller, "session.create", id));
  return OpenedSession{
      .text = fmt::format("{}_{}", text, sealed("session", text)), .key = sealed("page", text), .ends_at = ends_at};
}

Served<SessionAnswer> Sessions::describe(const Caller& caller) {
  const StoredToken token = TRY(access_.valid_token(token_of(caller)));
  SessionAnswer answer{.token = token.id,
                       .name = token.name,
                       .role = token.role,
                       .scopes = access_.scopes_of(token),
                       .name_space = token.name_space,
                       .ends_at = token.expires_at};
  if (caller.session) answer.ends_at = caller.session->ends_at;
  return answer;
}

Served<> Sessions::close(const Caller& caller) {
  if (!caller.session) return {};
  TRY(access_.end_session(*caller.session));
  return note(caller, "session.close", caller.session->id);
}

std::optional<CallerSession> Sessions::proved(const SessionProof& proof, std::string& token) const {
  const auto parts = split_session(proof.text);
  if (!parts) return std::nullopt;
  const bool is_ours = are_equal_secrets(sealed("session", parts->sealed_part), parts->seal);
  const bool has_key = are_equal_secrets(sealed("page", parts->sealed_part), proof.key);
  const Instant now = parts_.clock.now();
  // The second: no session of ours is longer, unless the clock was set back, and then it is better opened anew.
  if (!is_ours || !has_key || now >= parts->ends_at || parts->ends_at > now + lifetime + clock_slack)
    return std::nullopt;
  token = parts->token;
  return CallerSession{.id = std::string{parts->id}, .ends_at = parts->ends_at};
}

Served<Caller> Sessions::authenticate(const SessionProof& proof, const std::string& address) {
  std::string token;
  const auto session = proved(proof, token);
  if (!session || TRY(access_.has_ended(*session))) return no_session();
  Caller caller = TRY(access_.caller_by_id(token, address));
  caller.session = session;
  return caller;
}

std::optional<Served<Caller>> Sessions::authenticate_known(const SessionProof& proof, const std::string& address) {
  std::string token;
  const auto session = proved(proof, token);
  if (!session) return no_session();
  const auto has_ended = access_.has_ended_known(*session);
  if (!has_ended) return std::nullopt;
  if (*has_ended) return no_session();
  auto caller = access_.known_caller_by_id(token, address);
  if (caller && *caller) (*caller)->session = session;
  return caller;
}

Served<SignInLink> Sessions::make_link(const Caller& caller, Duration good_for) {
  TRY(expect_token(caller));
  const std::string code = std::string{link_prefix} + session_letters(random_bytes(link_code_length), link_code_length);
  TRY(note(caller, "session.link", {}));
  const Duration now = parts_.clock.since_boot();
  const std::scoped_lock lock{mutex_};
  forget_old_links(now);
  links_.emplace(sha256(code), Link{.token = token_of(caller), .ends = now + good_for});
  return SignInLink{.code = code, .ends_at = parts_.clock.now() + good_for};
}

void Sessions::forget_old_links(Duration now) {
  std::erase_if(links_, [&](const auto& link) { return link.second.ends <= now; });
  if (links_.size() < link_count_max) return;
  links_.erase(std::ranges::min_element(links_, {}, [](const auto& link) { return link.second.ends; }));
}

bool Sessions::is_link_code(std::string_view text) { return text.starts_with(link_prefix); }

Served<Caller> Sessions::redeem(std::string_view code, const std::string& address) {
  std::optional<Link> link;
  {
    const std::scoped_lock lock{mutex_};
    if (auto found = links_.extract(sha256(code))) link = std::move(found.mapped());
  }
  if (!link || link->ends <= parts_.clock.since_boot())
    return std::unexpected(Refusal{Refusal::Kind::unauthenticated, "unauthenticated", "a valid token is needed",
                                   "a link works once, and not for long; get another one: carillon open"});
  return access_.caller_by_id(link->token, address);
}

Served<> Sessions::note(const Caller& caller, std::string operation, std::string target) {
  TRY(parts_.store.audit.append({.actor = caller.actor,
                                 .address = caller.address,
                                 .operation = std::move(operation),
                                 .name_space = caller.name_space ? caller.name_space->text() : "",
                                 .target = std::move(target),
                                 .outcome = "done",
                                 .before = {},
                                 .after = {}}));
  return {};
}

}  // namespace carillon
