#include "stores/sqlite/idempotency_rows.hpp"

#include "stores/sqlite/definition_rows.hpp"
#include "stores/sqlite/shared_rows.hpp"

namespace carillon::sqlite {
namespace {

std::string bytes_of(const std::vector<Seq>& seqs) {
  std::string bytes;
  ByteWriter writer{bytes};
  writer.number(seqs.size());
  for (const Seq seq : seqs) writer.number(static_cast<std::uint64_t>(seq));
  return bytes;
}

std::optional<std::vector<Seq>> seqs_of(std::string_view bytes) {
  ByteReader reader{bytes};
  // No more than there can be: what is stored may be damaged.
  const std::uint64_t count = std::min<std::uint64_t>(reader.number(), bytes.size());
  std::vector<Seq> seqs;
  for (std::uint64_t i = 0; i < count; ++i) seqs.push_back(static_cast<Seq>(reader.number()));
  return reader.is_done() ? std::optional{std::move(seqs)} : std::nullopt;
}

}  // namespace

IdempotencyRows::IdempotencyRows(Connection& connection)
    : connection_{connection},
      find_{connection, "SELECT fingerprint, at, uid, decisions, answer FROM idempotency WHERE key = ?1 AND at > ?2"},
      put_{connection, "INSERT OR REPLACE INTO idempotency VALUES (?1, ?2, ?3, ?4, ?5, ?6)"},
      set_answer_{connection, "UPDATE idempotency SET answer = ?2 WHERE key = ?1 AND answer IS NULL"},
      forget_{connection,
              "DELETE FROM idempotency WHERE key IN (SELECT key FROM idempotency WHERE at < ?1 ORDER BY at LIMIT ?2)"} {
}

Result<std::optional<IdempotencyRecord>> IdempotencyRows::find(const std::string& key, Instant now) {
  Cursor row = find_.query(key, now - request_memory);
  if (!TRY(row.next())) return std::nullopt;
  auto decisions = seqs_of(row.bytes(3));
  if (!decisions)
    return fail(ErrorCode::corrupt, "{}: the record of a request cannot be read", connection_.file().string());
  IdempotencyRecord record{.fingerprint = std::string{row.text(0)},
                           .at = row.instant(1),
                           .uid = row.as<Uid>(2),
                           .decisions = *std::move(decisions),
                           .answer = {}};
  if (!row.is_null(4)) record.answer = row.text(4);
  return record;
}

Result<> IdempotencyRows::put(const std::string& key, const IdempotencyRecord& record) {
  const std::string decisions = bytes_of(record.decisions);
  TRY(put_.run(key, record.fingerprint, record.at, record.uid, Blob{decisions}, record.answer));
  return forget_.run(record.at - request_memory, requests_forgotten_at_once);
}

Result<> IdempotencyRows::forget_old(Instant now) { return forget_.run(now - request_memory, -1); }

Result<> IdempotencyRows::set_answer(const std::string& key, const std::string& answer) {
  return set_answer_.run(key, answer);
}

}  // namespace carillon::sqlite
