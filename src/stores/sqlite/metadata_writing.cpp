#include "stores/sqlite/metadata_writing.hpp"

namespace carillon::sqlite {

Result<> check_attached(Tables& tables, const CommandMetadata& attached, Instant now) {
  if (attached.request && TRY(tables.idempotency.find(attached.request->key, now))) return already_carried_out();
  if (!attached.dead_letter) return {};
  const auto run = TRY(tables.runs.find_briefly(*attached.dead_letter));
  return run && run->row.run.is_parked ? Result<>{} : already_dealt_with();
}

Result<std::optional<Uid>> unpark(Tables& tables, Seq run) {
  auto found = TRY(tables.runs.find_briefly(run));
  if (!found || !found->row.run.is_parked) return std::nullopt;
  found->row.run.is_parked = false;
  found->flags = rows::with(found->flags, rows::run_flag::parked, false);
  TRY(tables.runs.save_run(*found));
  return found->row.uid;
}

Result<> write_attached(Tables& tables, const CommandMetadata& attached, Uid uid, std::span<const Seq> decisions,
                        Instant now) {
  if (attached.request)
    TRY(tables.idempotency.put(attached.request->key, {.fingerprint = attached.request->fingerprint,
                                                       .at = now,
                                                       .uid = uid,
                                                       .decisions = {decisions.begin(), decisions.end()},
                                                       .answer = {}}));
  if (attached.dead_letter) TRY(unpark(tables, *attached.dead_letter));
  if (attached.audit) TRY(tables.audit.append(*attached.audit, now));
  return {};
}

}  // namespace carillon::sqlite
