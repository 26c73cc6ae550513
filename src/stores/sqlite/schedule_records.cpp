#include "stores/sqlite/schedule_records.hpp"

#include <utility>

namespace carillon::sqlite {

ScheduleRecords::ScheduleRecords(Connection& connection, ViewRows& views, DefinitionRows& definitions)
    : connection_{connection},
      views_{views},
      definitions_{definitions},
      first_changes_{connection, "SELECT by, at FROM change WHERE uid = ?1 ORDER BY seq LIMIT 2"},
      newest_change_{connection, "SELECT at FROM change WHERE uid = ?1 ORDER BY seq DESC LIMIT 1"},
      newest_pause_{connection, "SELECT reason, by FROM change WHERE uid = ?1 AND kind = 2 ORDER BY seq DESC LIMIT 1"},
      newest_note_{connection, "SELECT reason FROM change WHERE uid = ?1 AND reason <> '' ORDER BY seq DESC LIMIT 1"},
      waking_{connection, "SELECT uid FROM wake WHERE at < ?1 ORDER BY at, uid"} {
  static_assert(static_cast<int>(ChangeKind::paused) == 2);
}

Result<std::optional<ScheduleRecord>> ScheduleRecords::read(Uid uid) {
  auto view = TRY(views_.find(uid));
  if (!view || view->state.deleted_at) return std::nullopt;
  auto definition = TRY(definitions_.read({.uid = uid, .revision = view->state.revision}));
  if (!definition)
    return fail(ErrorCode::corrupt, "{}: schedule {} has no definition", connection_.file().string(),
                static_cast<std::int64_t>(uid));
  ScheduleRecord record{.key = std::move(definition->key),
                        .view = *std::move(view),
                        .document = std::move(definition->document),
                        .created_at = definition->created_at,
                        .updated_at = definition->created_at,
                        .owner = {},
                        .pause = {},
                        .quarantine = TRY(views_.quarantine(uid))};
  TRY(add_changes(record));
  return record;
}

Result<> ScheduleRecords::add_changes(ScheduleRecord& record) {
  const ScheduleState& state = record.view.state;
  Cursor first = first_changes_.query(state.uid);
  if (TRY(first.next())) {
    record.owner = first.free_text(0);
    record.updated_at = first.instant(1);
  }
  // Most have not been changed since they were created.
  if (TRY(first.next())) {
    Cursor newest = newest_change_.query(state.uid);
    if (TRY(newest.next())) record.updated_at = newest.instant(0);
  }
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
