#include "stores/sqlite/definition_rows.hpp"

#include "stores/sqlite/shared_rows.hpp"

namespace carillon::sqlite {

DefinitionRows::DefinitionRows(Connection& connection)
    : connection_{connection},
      find_{connection,
            "SELECT uid, incarnation FROM schedule WHERE namespace = ?1 AND id = ?2 COLLATE NOCASE "
            "ORDER BY incarnation DESC LIMIT 1"},
      add_name_{connection, "INSERT INTO schedule VALUES (?1, ?2, ?3, ?4, ?5)"},
      name_{connection, "SELECT namespace, id, incarnation, created_at FROM schedule WHERE uid = ?1"},
      set_document_{connection, "INSERT OR REPLACE INTO definition VALUES (?1 << 27 | ?2, ?1, ?2, ?3)"},
      document_{connection,
                "SELECT s.namespace, s.id, s.incarnation, s.created_at, d.document FROM definition d "
                "CROSS JOIN schedule s ON s.uid = ?1 WHERE d.place BETWEEN ?1 << 27 AND ?1 << 27 | ?2 "
                "ORDER BY d.place DESC LIMIT 1"},
      body_{connection, "SELECT body FROM state WHERE uid = ?1"},
      remember_{connection, "INSERT OR IGNORE INTO request VALUES (?1, ?2, ?3, ?4, ?5)"},
      has_old_{connection, "SELECT 1 FROM request WHERE at < ?1 LIMIT 1"},
      forget_{connection,
              "DELETE FROM request WHERE id IN (SELECT id FROM request WHERE at < ?1 ORDER BY at LIMIT ?2)"},
      find_written_{connection, "SELECT uid, revision, decision FROM request WHERE id = ?1"} {}

Result<std::optional<Bearer>> DefinitionRows::find(const ScheduleKey& key) {
  Cursor row = find_.query(key.name_space.text(), key.id.text());
  if (!TRY(row.next())) return std::nullopt;
  return Bearer{.uid = row.as<Uid>(0), .incarnation = row.count(1)};
}

Result<> DefinitionRows::add_name(Uid uid, const StoredName& name) {
  return add_name_.run(uid, name.key.name_space.text(), name.key.id.text(), name.incarnation, name.created_at);
}

Result<std::optional<StoredName>> DefinitionRows::name_of(Uid uid) {
  Cursor row = name_.query(uid);
  if (!TRY(row.next())) return std::nullopt;
  return read_name(uid, row);
}

Result<StoredName> DefinitionRows::read_name(Uid uid, const Cursor& row) const {
  auto name_space = NamespaceId::parse(row.text(0));
  auto id = ScheduleId::parse(row.text(1));
  if (!name_space || !id)
    return fail(ErrorCode::corrupt, "{}: schedule {} has an invalid name", connection_.file().string(),
                static_cast<std::int64_t>(uid));
  return StoredName{.key = {.name_space = *std::move(name_space), .id = *std::move(id)},
                    .incarnation = row.count(2),
                    .created_at = row.instant_if(3)};
}

Result<> DefinitionRows::set_document(Uid uid, std::int64_t revision, const std::string& document) {
  return set_document_.run(uid, revision, document);
}

Result<std::optional<StoredDefinition>> DefinitionRows::read(const DefinitionName& name) {
  Cursor row = document_.query(name.uid, name.revision);
  if (!TRY(row.next())) return std::nullopt;
  StoredName stored = TRY(read_name(name.uid, row));
  if (!stored.created_at) stored.created_at = TRY(creation_of(name.uid));
  return StoredDefinition{
      .key = std::move(stored.key), .document = std::string{row.text(4)}, .created_at = *stored.created_at};
}

Result<Instant> DefinitionRows::creation_of(Uid uid) {
  Cursor body = body_.query(uid);
  if (!TRY(body.next()))
    return fail(ErrorCode::corrupt, "{}: a definition has no schedule", connection_.file().string());
  ScheduleState state;
  TRY(read_body(body.bytes(0), state));
  return state.created_at;
}

Result<> DefinitionRows::remember(std::int64_t request, const WrittenRequest& written, Instant now) {
  if (request == 0) return {};
  TRY(remember_.run(request, now, written.uid, written.revision, written.decision));
  const Instant too_old = now - request_memory;
  {
    // A look costs a tenth of a removal that finds no row.
    Cursor old = has_old_.query(too_old);
    if (!TRY(old.next())) return {};
  }
  return forget_.run(too_old, requests_forgotten_at_once);
}

Result<std::optional<WrittenRequest>> DefinitionRows::find_written(std::int64_t request) {
  Cursor row = find_written_.query(request);
  if (!TRY(row.next())) return std::nullopt;
  return WrittenRequest{.uid = row.as<Uid>(0), .revision = row.count(1), .decision = row.as<Seq>(2)};
}

}  // namespace carillon::sqlite
