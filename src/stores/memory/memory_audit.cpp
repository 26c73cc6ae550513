#include "ports/audit_digest.hpp"
#include "stores/memory/memory_store.hpp"
#include "stores/memory/metadata_writing.hpp"
#include "stores/memory/tables.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

namespace carillon {

Result<> MemoryStore::append(const AuditEntry& entry) {
  const WriteScope scope{*this};
  append_audit(*tables_, entry, time_of_writing());
  return {};
}

Result<std::vector<AuditRecord>> MemoryStore::read_audit(std::optional<std::int64_t> before,
                                                         const std::optional<std::string>& name_space,
                                                         std::size_t count_max) {
  const std::scoped_lock lock{mutex_};
  std::vector<AuditRecord> records;
  for (auto record = tables_->audit.rbegin(); record != tables_->audit.rend() && records.size() < count_max; ++record) {
    const bool is_older = record->number < before.value_or(std::numeric_limits<std::int64_t>::max());
    if (is_older && (!name_space || record->entry.name_space == *name_space)) records.push_back(*record);
  }
  return records;
}

Result<AuditHead> MemoryStore::read_audit_head() {
  const std::scoped_lock lock{mutex_};
  if (tables_->audit.empty()) return AuditHead{};
  return AuditHead{.count = tables_->audit.back().number, .digest = tables_->audit.back().digest};
}

Result<std::optional<AuditBreak>> MemoryStore::find_broken_record() {
  const std::scoped_lock lock{mutex_};
  std::string previous;
  for (const AuditRecord& record : tables_->audit) {
    if (record.digest != digest_of(record, previous)) return changed_record(record.number);
    previous = record.digest;
  }
  return std::nullopt;
}

Result<> MemoryStore::add_token(const StoredToken& token, const AuditEntry& audit) {
  const WriteScope scope{*this};
  if (!tables_->tokens.emplace(token.id, token).second)
    return fail(ErrorCode::conflict, "token {} already exists", token.id);
  append_audit(*tables_, audit, time_of_writing());
  return {};
}

Result<std::optional<StoredToken>> MemoryStore::find_token(const std::string& id) {
  const std::scoped_lock lock{mutex_};
  const auto found = tables_->tokens.find(id);
  return found == tables_->tokens.end() ? std::nullopt : std::optional{found->second};
}

Result<std::vector<StoredToken>> MemoryStore::read_tokens() {
  const std::scoped_lock lock{mutex_};
  std::vector<StoredToken> tokens;
  for (const auto& [id, token] : tables_->tokens) tokens.push_back(token);
  std::ranges::sort(tokens, {}, [](const StoredToken& token) { return std::tie(token.created_at, token.id); });
  return tokens;
}

Result<> MemoryStore::revoke_token(const std::string& id, Instant at, const AuditEntry& audit) {
  const WriteScope scope{*this};
  const auto found = tables_->tokens.find(id);
  if (found == tables_->tokens.end()) return fail(ErrorCode::not_found, "token {} not found", id);
  if (found->second.revoked_at) return {};
  found->second.revoked_at = at;
  append_audit(*tables_, audit, time_of_writing());
  return {};
}

Result<std::optional<IdempotencyRecord>> MemoryStore::find_request(const std::string& key) {
  const std::scoped_lock lock{mutex_};
  const IdempotencyRecord* const found = memory::find_request(*tables_, key, now());
  return found == nullptr ? std::nullopt : std::optional{*found};
}

Result<> MemoryStore::keep_answer(const IdempotencyKey& key, const std::string& answer) {
  const WriteScope scope{*this};
  const Instant time = time_of_writing();
  IdempotencyRecord* const known = memory::find_request(*tables_, key.key, time);
  if (known == nullptr) {
    remember(*tables_, key.key,
             {.fingerprint = key.fingerprint, .at = time, .uid = {}, .decisions = {}, .answer = answer});
    return {};
  }
  if (known->fingerprint == key.fingerprint) {
    if (!known->answer) known->answer = answer;
    return {};
  }
  auto error = fail(ErrorCode::conflict, "this key belongs to another request");
  error.error().rule = repeated_request;
  return error;
}

}  // namespace carillon
