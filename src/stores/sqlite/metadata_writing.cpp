#include "stores/sqlite/metadata_writing.hpp"

namespace carillon::sqlite {

Result<> refuse_repeated(Tables& tables, const CommandMetadata& attached, Instant now) {
  if (!attached.request || !TRY(tables.idempotency.find(attached.request->key, now))) return {};
  auto error = fail(ErrorCode::conflict, "this request was already carried out");
  error.error().rule = repeated_request;
  return error;
}

Result<> write_attached(Tables& tables, const CommandMetadata& attached, Uid uid, std::span<const Seq> decisions,
                        Instant now) {
  if (attached.request)
    TRY(tables.idempotency.put(attached.request->key, {.fingerprint = attached.request->fingerprint,
                                                       .at = now,
                                                       .uid = uid,
                                                       .decisions = {decisions.begin(), decisions.end()},
                                                       .answer = {}}));
  if (attached.audit) TRY(tables.audit.append(*attached.audit, now));
  return {};
}

}  // namespace carillon::sqlite
