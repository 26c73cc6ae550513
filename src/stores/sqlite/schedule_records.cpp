#include "stores/sqlite/schedule_records.hpp"

#include <utility>

namespace carillon::sqlite {

ScheduleRecords::ScheduleRecords(Connection& connection, ViewRows& views, DefinitionRows& definitions)
    : connection_{connection},
      views_{views},
      definitions_{definitions},
      // Read a hundred times for a page, so all that every schedule has is one statement.
      record_{connection,
              "SELECT " CARILLON_VIEW_COLUMNS
              ", d.document, n.namespace, n.id, n.created_at, q.error, made.by, made.at, newest.at FROM state s "
              "LEFT JOIN ledger g ON g.seq = s.run_seq LEFT JOIN schedule n ON n.uid = s.uid "
              "LEFT JOIN definition d ON d.place = "
              "(SELECT max(place) FROM definition WHERE place BETWEEN s.uid << 27 AND s.uid << 27 | s.revision) "
              "LEFT JOIN quarantine q ON q.uid = s.uid "
              "LEFT JOIN change made ON made.seq = (SELECT min(seq) FROM change WHERE uid = s.uid) "
              "LEFT JOIN change newest ON newest.seq = (SELECT max(seq) FROM change WHERE uid = s.uid) "
              "WHERE s.uid = ?1"},
      newest_pause_{connection, "SELECT reason, by FROM change WHERE uid = ?1 AND kind = 2 ORDER BY seq DESC LIMIT 1"},
      newest_note_{connection, "SELECT reason FROM change WHERE uid = ?1 AND reason <> '' ORDER BY seq DESC LIMIT 1"},
      waking_{connection, "SELECT uid FROM wake WHERE at < ?1 ORDER BY at, uid"} {
  static_assert(static_cast<int>(ChangeKind::paused) == 2);
}

Result<std::optional<ScheduleRecord>> ScheduleRecords::read(Uid uid) {
  Cursor row = record_.query(uid);
  if (!TRY(row.next())) return std::nullopt;
  ScheduleView view = TRY(views_.read_view(row));
  if (view.state.deleted_at) return std::nullopt;
  enum Column : int {
    document = view_column_count,
    name_space,
    id,
    created_at,
    error,
    owner,
    first_change,
    last_change
  };
  if (row.is_null(document) || row.is_null(name_space))
    return fail(ErrorCode::corrupt, "{}: schedule {} has no definition", connection_.file().string(),
                static_cast<std::int64_t>(uid));
  // Files that were made before it had a column have it in the state alone.
  const Instant creation = row.instant_if(created_at).value_or(view.state.created_at);
  ScheduleRecord record{.key = TRY(definitions_.read_key(uid, row, name_space)),
                        .view = std::move(view),
                        .document = std::string{row.text(document)},
                        .created_at = creation,
                        .updated_at = row.instant_if(last_change).value_or(creation),
                        .owner = row.is_null(first_change) ? std::string{} : row.free_text(owner),
                        .pause = {},
                        .quarantine = {}};
  if (!row.is_null(error)) record.quarantine = row.free_text(error);
  TRY(add_notes(record));
  return record;
}

Result<> ScheduleRecords::add_notes(ScheduleRecord& record) {
  const ScheduleState& state = record.view.state;
  if (state.has_note) {
    Cursor note = newest_note_.query(state.uid);
    if (TRY(note.next())) record.note = note.free_text(0);
  }
  if (!state.paused_at) return {};
  record.pause.emplace();
  Cursor pause = newest_pause_.query(state.uid);
  if (TRY(pause.next())) record.pause = {.reason = pause.free_text(0), .by = pause.free_text(1)};
  return {};
}

Result<std::vector<ScheduleRecord>> ScheduleRecords::waking(const std::optional<std::string>& name_space,
                                                            Instant before, std::size_t count_max) {
  std::vector<ScheduleRecord> records;
  Cursor row = waking_.query(before);
  while (records.size() < count_max && TRY(row.next())) {
    const auto uid = row.as<Uid>(0);
    if (name_space) {
      const auto name = TRY(definitions_.name_of(uid));
      if (!name || name->key.name_space.text() != *name_space) continue;
    }
    if (auto record = TRY(read(uid))) records.push_back(*std::move(record));
  }
  return records;
}

}  // namespace carillon::sqlite
