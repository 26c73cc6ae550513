#include "stores/memory/metadata_writing.hpp"

#include "ports/audit_digest.hpp"

#include <utility>

namespace carillon::memory {

IdempotencyRecord* find_request(Tables& tables, const std::string& key, Instant now) {
  const auto found = tables.named_requests.find(key);
  const bool is_known = found != tables.named_requests.end() && found->second.at > now - request_memory;
  return is_known ? &found->second : nullptr;
}

Result<> check_attached(Tables& tables, const CommandMetadata& attached, Instant now) {
  if (attached.request && find_request(tables, attached.request->key, now) != nullptr) return already_carried_out();
  if (!attached.dead_letter) return {};
  const StoredRun* run = tables.find_run(*attached.dead_letter);
  return run != nullptr && run->row.run.is_parked ? Result<>{} : already_dealt_with();
}

void write_attached(Tables& tables, const CommandMetadata& attached, Uid uid, std::span<const Seq> decisions,
                    Instant now) {
  if (attached.request)
    remember(tables, attached.request->key,
             {.fingerprint = attached.request->fingerprint,
              .at = now,
              .uid = uid,
              .decisions = {decisions.begin(), decisions.end()},
              .answer = {}});
  if (attached.dead_letter) tables.find_run(*attached.dead_letter)->row.run.is_parked = false;
  if (attached.audit) append_audit(tables, *attached.audit, now);
}

void remember(Tables& tables, const std::string& key, IdempotencyRecord record) {
  const Instant too_old = record.at - request_memory;
  tables.named_requests.insert_or_assign(key, std::move(record));
  std::erase_if(tables.named_requests, [&](const auto& one) { return one.second.at < too_old; });
}

void append_audit(Tables& tables, const AuditEntry& entry, Instant now) {
  AuditRecord record{
      .number = static_cast<std::int64_t>(tables.audit.size()) + 1, .at = now, .entry = entry, .digest = {}};
  record.digest = digest_of(record, tables.audit.empty() ? std::string{} : tables.audit.back().digest);
  tables.audit.push_back(std::move(record));
}

}  // namespace carillon::memory
