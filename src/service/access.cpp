#include "service/access.hpp"

#include "base/assertion.hpp"
#include "base/crypto.hpp"
#include "base/quoted.hpp"
#include "base/token_text.hpp"
#include "base/utf8.hpp"
#include "definitions/new_definition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace carillon {
namespace {

constexpr Duration memory = std::chrono::seconds{2};
constexpr std::size_t known_count_max = 10'000;
constexpr std::array<std::string_view, 5> role_words{"viewer", "operator", "editor", "admin", "worker"};

std::string letters_of(std::string bytes) {
  for (char& c : bytes) c = token_text::letters[static_cast<unsigned char>(c) & 31];
  return bytes;
}

std::string random_letters(std::size_t count) { return letters_of(random_bytes(count)); }

std::string hash_of(std::string_view salt, std::string_view secret) { return sha256(std::string{salt}.append(secret)); }

bool is_in_force(const StoredToken& token, Instant now) {
  return !token.revoked_at && (!token.expires_at || now < *token.expires_at);
}

std::unexpected<Refusal> nobody() {
  return std::unexpected(
      Refusal{Refusal::Kind::unauthenticated, "unauthenticated", "a valid token is needed",
              "send Authorization: Bearer <token>; the first token is in admin.token in the data folder"});
}

Served<Caller> caller_of(const StoredToken& stored, const std::string& address, const CommandRules& commands) {
  Caller caller{.actor = "token:" + stored.id, .address = address, .role = stored.role};
  caller.token_name = stored.name;
  if (stored.name_space) caller.name_space = TRY(NamespaceId::parse(*stored.name_space));
  // Asked with every request: what the token was given counts only while this server allows it.
  caller.has_execute = commands.allows(stored);
  return caller;
}

std::string end_key(std::string_view session) { return sha256_hex(fmt::format("session\n{}", session)); }

AuditEntry entry_of(const Caller& by, std::string operation, const StoredToken& token) {
  return {.actor = by.actor,
          .address = by.address,
          .operation = std::move(operation),
          .name_space = token.name_space.value_or(""),
          .target = token.id,
          .outcome = "done",
          .before = {},
          .after = {}};
}

}  // namespace

std::optional<Role> parse_role(std::string_view word) {
  const auto found = std::ranges::find(role_words, word);
  if (found == role_words.end()) return std::nullopt;
  return static_cast<Role>(found - role_words.begin());
}

std::string_view to_text(Role role) { return role_words[static_cast<std::size_t>(role)]; }

std::optional<Access::Known> Access::find_known(std::string_view id) {
  const Duration now = parts_.clock.since_boot();
  const std::scoped_lock lock{mutex_};
  const auto known = known_.find(id);
  if (known == known_.end() || now - known->second.seen >= memory) return std::nullopt;
  return known->second;
}

Result<std::optional<Access::Known>> Access::find(std::string_view id) {
  if (auto known = find_known(id)) return known;
  const Duration now = parts_.clock.since_boot();
  const std::string name{id};
  auto token = TRY(parts_.store.tokens.find_token(name));
  const std::scoped_lock lock{mutex_};
  if (known_.size() >= known_count_max) known_.clear();
  if (!token) {
    known_.erase(name);
    return std::nullopt;
  }
  return known_.insert_or_assign(name, Known{.token = *std::move(token), .seen = now}).first->second;
}

bool Access::is_valid(const Known& known, std::string_view secret) {
  if (!is_in_force(known.token, parts_.clock.now())) return false;
  const std::uint64_t proof = keyed_hash(proof_key_, secret);
  if (known.proof == proof) return true;
  if (!are_equal_secrets(hash_of(known.token.salt, secret), known.token.hash)) return false;
  const std::scoped_lock lock{mutex_};
  const auto found = known_.find(known.token.id);
  if (found != known_.end() && found->second.token.hash == known.token.hash) found->second.proof = proof;
  return true;
}

Served<Caller> Access::authenticate(std::string_view token, const std::string& address) {
  const auto parts = split_token(token);
  if (!parts) return nobody();
  const auto known = TRY(find(parts->id));
  if (!known || !is_valid(*known, parts->secret)) return nobody();
  return caller_of(known->token, address, parts_.command_rules);
}

std::optional<Served<Caller>> Access::authenticate_known(std::string_view token, const std::string& address) {
  const auto parts = split_token(token);
  if (!parts) return nobody();
  const auto known = find_known(parts->id);
  if (!known) return std::nullopt;
  if (!is_valid(*known, parts->secret)) return nobody();
  return caller_of(known->token, address, parts_.command_rules);
}

Served<StoredToken> Access::valid_token(const std::string& id) {
  const auto known = TRY(find(id));
  if (!known || !is_in_force(known->token, parts_.clock.now())) return nobody();
  return known->token;
}

Served<Caller> Access::caller_by_id(const std::string& id, const std::string& address) {
  return caller_of(TRY(valid_token(id)), address, parts_.command_rules);
}

std::optional<Served<Caller>> Access::known_caller_by_id(const std::string& id, const std::string& address) {
  const auto known = find_known(id);
  if (!known) return std::nullopt;
  if (!is_in_force(known->token, parts_.clock.now())) return nobody();
  return caller_of(known->token, address, parts_.command_rules);
}

void Access::note_ended(const CallerSession& session) {
  const Instant now = parts_.clock.now();
  const std::scoped_lock lock{mutex_};
  open_sessions_.erase(session.id);
  std::erase_if(ended_sessions_, [&](const auto& ended) { return ended.second <= now; });
  // What is forgotten here is still in the store.
  if (ended_sessions_.size() >= known_count_max) ended_sessions_.erase(ended_sessions_.begin());
  ended_sessions_.insert_or_assign(session.id, session.ends_at);
}

// The store remembers requests for a day, and no session is longer: the end of a session is kept as one of them.
Result<> Access::end_session(const CallerSession& session) {
  note_ended(session);
  return parts_.store.idempotency.keep_answer({.key = end_key(session.id), .fingerprint = "ended"}, "");
}

std::optional<bool> Access::has_ended_known(const CallerSession& session) {
  if (session.ends_at <= parts_.clock.now()) return true;
  const Duration now = parts_.clock.since_boot();
  const std::scoped_lock lock{mutex_};
  if (ended_sessions_.contains(session.id)) return true;
  const auto open = open_sessions_.find(session.id);
  if (open == open_sessions_.end() || now - open->second >= memory) return std::nullopt;
  return false;
}

Result<bool> Access::has_ended(const CallerSession& session) {
  if (const auto known = has_ended_known(session)) return *known;
  const Duration now = parts_.clock.since_boot();
  if (TRY(parts_.store.idempotency.find_request(end_key(session.id)))) {
    note_ended(session);
    return true;
  }
  const std::scoped_lock lock{mutex_};
  if (open_sessions_.size() >= known_count_max) open_sessions_.clear();
  // One that was ended meanwhile stays so.
  if (ended_sessions_.contains(session.id)) return true;
  open_sessions_.insert_or_assign(session.id, now);
  return false;
}

bool Access::is_still_valid(const Caller& caller) {
  // While the store cannot be asked nobody is sent away.
  if (caller.session && has_ended(*caller.session).value_or(false)) return false;
  constexpr std::string_view kind = "token:";
  if (!caller.actor.starts_with(kind)) return true;
  const auto known = find(std::string_view{caller.actor}.substr(kind.size()));
  if (!known) return true;
  return *known && is_in_force((*known)->token, parts_.clock.now());
}

Served<> Access::check_execute(const TokenRequest& request, const std::optional<std::string>& name_space) const {
  if (!request.may_execute || request.role == Role::admin) return {};
  if (request.role != Role::editor)
    return std::unexpected(Refusal{Problems{{.pointer = "/execute",
                                             .code = "invalid",
                                             .message = "only a token with role editor can have the scope execute",
                                             .hint = "use role editor, or leave execute out",
                                             .position = {}}}});
  if (!name_space || parts_.command_rules.namespaces.contains(*name_space)) return {};
  return std::unexpected(
      Refusal{Refusal::Kind::forbidden, "commands_not_allowed",
              fmt::format("tokens of namespace {} cannot have the scope execute on this server", quoted(*name_space)),
              fmt::format("start the server with --allow-commands {}", *name_space)});
}

std::vector<std::string_view> Access::scopes_of(const StoredToken& token) const {
  std::vector<std::string_view> scopes;
  if (allows(token.role, Scope::read)) scopes.emplace_back("read");
  if (allows(token.role, Scope::operate)) scopes.emplace_back("operate");
  if (allows(token.role, Scope::edit)) scopes.emplace_back("edit");
  if (parts_.command_rules.allows(token)) scopes.emplace_back("execute");
  if (allows(token.role, Scope::administer)) scopes.emplace_back("administer");
  if (allows(token.role, Scope::work)) scopes.emplace_back("work");
  return scopes;
}

Served<IssuedToken> Access::issue(const Caller& by, const TokenRequest& request) {
  // A session ends with its day; what it makes would not.
  if (by.session)
    return std::unexpected(Refusal{Refusal::Kind::forbidden, "token_needed", "a session cannot create a token",
                                   "use a token: carillon token create"});
  if (request.name.empty() || request.name.size() > 200)
    return refuse(Refusal::Kind::invalid, "invalid", "name must have 1 to 200 bytes");
  if (has_hidden_character(request.name))
    return refuse(Refusal::Kind::invalid, "invalid", "name has a control character or a text direction mark: {}",
                  quoted(request.name));
  if (request.lifetime && *request.lifetime <= Duration{})
    return refuse(Refusal::Kind::invalid, "invalid", "expiresIn must be longer than 0");
  std::optional<std::string> name_space = request.name_space;
  if (name_space)
    if (Problems problems = check_new_namespace(TRY(NamespaceId::parse(*name_space))); !problems.empty())
      return std::unexpected(Refusal{std::move(problems)});
  if (by.name_space && name_space.value_or(by.name_space->text()) != by.name_space->text())
    return refuse(Refusal::Kind::forbidden, "forbidden", "this token is bound to namespace {}",
                  quoted(by.name_space->text()));
  if (by.name_space) name_space = by.name_space->text();
  TRY(check_execute(request, name_space));
  const std::string secret = random_letters(token_text::secret_length);
  const std::string salt = random_letters(16);
  const Instant now = parts_.clock.now();
  const std::string id = request.request_key
                             ? letters_of(sha256("token\n" + *request.request_key)).substr(0, token_text::id_length)
                             : random_letters(token_text::id_length);
  if (request.request_key && TRY(parts_.store.tokens.find_token(id)))
    return std::unexpected(
        Refusal{Refusal::Kind::exists, "token_exists",
                fmt::format("an earlier request with this Idempotency-Key created token {}", quoted(id)),
                "its secret is not stored; revoke it and send the request with another key"});
  StoredToken stored{.id = id,
                     .name = request.name,
                     .role = request.role,
                     .name_space = std::move(name_space),
                     .salt = salt,
                     .hash = hash_of(salt, secret),
                     .created_at = now,
                     .expires_at = {},
                     .revoked_at = {},
                     .may_execute = request.may_execute && request.role != Role::admin};
  if (request.lifetime) stored.expires_at = now + *request.lifetime;
  TRY(parts_.store.tokens.add_token(stored, entry_of(by, "token.create", stored)));
  std::string text = fmt::format("{}{}_{}", token_text::prefix, stored.id, secret);
  return IssuedToken{.stored = std::move(stored), .text = std::move(text)};
}

Served<std::vector<StoredToken>> Access::list(const Caller& by) {
  auto tokens = TRY(parts_.store.tokens.read_tokens());
  if (by.name_space)
    std::erase_if(tokens, [&](const StoredToken& token) { return token.name_space != by.name_space->text(); });
  return tokens;
}

Served<> Access::revoke(const Caller& by, const std::string& id) {
  const auto tokens = TRY(list(by));
  const auto found = std::ranges::find(tokens, id, &StoredToken::id);
  if (found == tokens.end()) return refuse(Refusal::Kind::not_found, "not_found", "token {} not found", quoted(id));
  TRY(parts_.store.tokens.revoke_token(id, parts_.clock.now(), entry_of(by, "token.revoke", *found)));
  const std::scoped_lock lock{mutex_};
  known_.erase(id);
  return {};
}

}  // namespace carillon
