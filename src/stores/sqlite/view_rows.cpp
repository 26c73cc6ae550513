#include "stores/sqlite/view_rows.hpp"

#include "stores/sqlite/shared_rows.hpp"

#include <algorithm>
#include <limits>

namespace carillon::sqlite {
namespace {

#define CARILLON_LIVE_COLUMNS \
  "g.seq, g.nominal, g.due, g.source, g.outcome, g.reason, g.state, g.stop, g.flags, g.overlap, g.backfill "

constexpr const char* view_query =
    "SELECT s.uid, s.version, s.revision, s.wake_at, s.server, s.batch, s.more, s.backfills, s.flags, "
    "s.body, " CARILLON_LIVE_COLUMNS "FROM state s LEFT JOIN ledger g ON g.seq = s.run_seq ";
constexpr int first_live_column = 10;

std::string view_query_with(const char* condition) { return std::string{view_query} + condition; }

ZoneEdition read_edition(const Cursor& row, int column) {
  return static_cast<ZoneEdition>(row.number_in(column, 0, std::numeric_limits<std::int32_t>::max()));
}

LiveRun read_live(const Cursor& row, int first) {
  const std::int64_t flags = row.number(first + 8);
  LiveRun live{.seq = row.as<Seq>(first),
               .nominal = row.instant(first + 1),
               .due = row.instant(first + 2),
               .source = row.one_of(first + 3, Source::adhoc),
               .state = RunState::cancelled,
               .overlap = row.one_of_if(first + 9, OverlapPolicy::allow_all),
               .holds_slot = has(flags, run_flag::holds_slot),
               .is_stopping = row.number(first + 7) != 0,
               .is_held_back = has(flags, run_flag::held_back),
               .backfill = row.count(first + 10)};
  // A skip among the live ones was started once, and taken back.
  if (row.one_of(first + 4, DecisionOutcome::skipped) == DecisionOutcome::skipped) {
    live.withdrawn = row.one_of(first + 5, SkipReason::outage);
  } else {
    live.state = row.one_of(first + 6, RunState::expired);
  }
  return live;
}

#define CARILLON_BACKFILL_COLUMNS                                                                                 \
  "b.number, b.id, b.first, b.last, b.direction, b.reprocess, b.concurrency, b.is_exclusive, b.state, b.cursor, " \
  "b.done, b.total, b.started, b.overlap "
#define CARILLON_BACKFILL_QUERY "SELECT " CARILLON_BACKFILL_COLUMNS "FROM backfill b "
constexpr int backfill_column_count = 14;

Backfill read_backfill(const Cursor& row) {
  return {.number = row.count(0),
          .id = std::string{row.text(1)},
          .from = row.instant(2),
          .to = row.instant(3),
          .order = row.one_of(4, BackfillOrder::newest_first),
          .reprocess = row.one_of(5, Reprocess::all),
          .concurrency = row.count(6),
          .is_exclusive = row.flag(7),
          .overlap = row.one_of_if(13, OverlapPolicy::allow_all),
          .state = row.one_of(8, BackfillState::cancelled),
          .cursor = row.instant(9),
          .done = row.count(10),
          .total = row.count(11),
          .started = row.count(12)};
}

}  // namespace

ViewRows::ViewRows(Connection& connection)
    : connection_{connection},
      at_place_{connection, view_query_with("WHERE s.place = ?1")},
      of_uid_{connection, view_query_with("WHERE s.uid = ?1")},
      page_{connection, view_query_with("WHERE s.uid > ?1 AND s.flags & 2 = 0 ORDER BY s.uid LIMIT ?2")},
      more_runs_{connection,
                 "SELECT " CARILLON_LIVE_COLUMNS "FROM live l CROSS JOIN ledger g ON g.seq = l.seq WHERE l.uid = ?1"},
      open_backfills_{connection, CARILLON_BACKFILL_QUERY "WHERE uid = ?1 AND state <= 1 ORDER BY number"},
      all_backfills_{connection, CARILLON_BACKFILL_QUERY "WHERE uid = ?1 ORDER BY number DESC"},
      listed_backfills_{connection,
                        "SELECT " CARILLON_BACKFILL_COLUMNS
                        ", b.seq, n.namespace, n.id FROM backfill b CROSS JOIN schedule n ON n.uid = b.uid CROSS JOIN "
                        "state s ON s.uid = b.uid WHERE b.seq < ?1 AND (?2 IS NULL OR n.namespace = ?2) AND (NOT ?3 "
                        "OR b.state <= 1) AND s.flags & 2 = 0 ORDER BY b.seq DESC LIMIT ?4"},
      wakes_{connection, "SELECT at, uid, place, is_zoned FROM wake WHERE (at, uid) > (?1, ?2) ORDER BY at, uid"},
      zone_edition_{connection, "SELECT zone_edition FROM meta"},
      page_head_{connection, "SELECT zone_edition, settled_edition, newest_write, decided_at FROM meta"},
      quarantine_{connection, "SELECT error FROM quarantine WHERE uid = ?1"} {
  static_assert(state_flag::deleted == 2);
  static_assert(static_cast<int>(BackfillState::paused) == 1);
}

Result<ScheduleView> ViewRows::read_view(const Cursor& row) {
  ScheduleView view;
  ScheduleState& state = view.state;
  state.uid = row.as<Uid>(0);
  state.version = row.count(1);
  state.revision = row.count(2);
  state.wake = row.instant_if(3);
  state.writer = {.server = row.number(4), .batch = row.number(5)};
  state.listens = has(row.number(8), state_flag::listens);
  TRY(while_doing(read_body(row.bytes(9), state), "reading schedule {} of {}", row.number(0),
                  connection_.file().string()));
  if (!row.is_null(first_live_column)) view.live.push_back(read_live(row, first_live_column));
  TRY(row.check());
  if (row.number(6) > 0) TRY(add_more_runs(view));
  if (row.number(7) > 0) TRY(add_backfills(view));
  return view;
}

Result<> ViewRows::add_more_runs(ScheduleView& view) {
  Cursor row = more_runs_.query(view.state.uid);
  while (TRY(row.next())) view.live.push_back(read_live(row, 0));
  std::ranges::sort(view.live, {}, &LiveRun::seq);
  return {};
}

Result<> ViewRows::add_backfills(ScheduleView& view) {
  Cursor row = open_backfills_.query(view.state.uid);
  while (TRY(row.next())) {
    const Backfill record = read_backfill(row);
    view.backfills.push_back({.record = record, .past = {}, .known_to = record.cursor});
  }
  return {};
}

Result<std::vector<Backfill>> ViewRows::backfills(Uid uid) {
  std::vector<Backfill> records;
  Cursor row = all_backfills_.query(uid);
  while (TRY(row.next())) records.push_back(read_backfill(row));
  TRY(row.check());
  return records;
}

Result<BackfillList> ViewRows::list_backfills(const BackfillListRequest& request) {
  BackfillList list;
  const auto before = static_cast<std::int64_t>(request.before.value_or(Seq{std::numeric_limits<std::int64_t>::max()}));
  Cursor row =
      listed_backfills_.query(before, request.name_space, request.is_open_only, limit_of(request.count_max) + 1);
  while (TRY(row.next())) {
    if (list.items.size() == request.count_max) {
      list.next = list.items.empty() ? request.before : list.items.back().seq;
      break;
    }
    auto name_space = NamespaceId::parse(row.text(backfill_column_count + 1));
    auto id = ScheduleId::parse(row.text(backfill_column_count + 2));
    if (!name_space || !id)
      return fail(ErrorCode::corrupt, "{}: a schedule has an invalid name", connection_.file().string());
    list.items.push_back({.key = {.name_space = *std::move(name_space), .id = *std::move(id)},
                          .backfill = read_backfill(row),
                          .seq = row.as<Seq>(backfill_column_count)});
  }
  TRY(row.check());
  return list;
}

Result<std::optional<ScheduleView>> ViewRows::find(Uid uid) {
  Cursor row = of_uid_.query(uid);
  if (!TRY(row.next())) return std::nullopt;
  return TRY(read_view(row));
}

Result<std::vector<ScheduleView>> ViewRows::page(Uid after, std::size_t count_max) {
  std::vector<ScheduleView> views;
  Cursor row = page_.query(after, limit_of(count_max));
  while (TRY(row.next())) views.push_back(TRY(read_view(row)));
  return views;
}

Result<> ViewRows::read_due(const DueRequest& request, DueSchedules& due) {
  due.views.reserve(std::min<std::size_t>(request.count_max, 1'000));
  TRY(take(request, ServerPart::own, due));
  if (request.share.count > 1) TRY(take(request, ServerPart::others, due));
  return {};
}

// Goes by wake time until it meets one that is not handed out: the time to look again lies there, and nothing behind it
// can be earlier.
Result<> ViewRows::take(const DueRequest& request, ServerPart part, DueSchedules& due) {
  const Duration lateness = part == ServerPart::own ? Duration{0} : overdue_for_all;
  const bool has_rules = request.rules == due.zone_edition;
  const WakePlace after = request.after.value_or(WakePlace{.wake = instant_min});
  Cursor wake = wakes_.query(after.wake, after.uid);
  while (TRY(wake.next())) {
    const Instant at = wake.instant(0);
    if (due.next_wake && at >= *due.next_wake) break;
    if (is_in(request.share, wake.as<Uid>(1)) != (part == ServerPart::own)) continue;
    if (wake.flag(3) && !has_rules) continue;
    if (at + lateness <= due.store_now && due.views.size() < request.count_max) {
      TRY(add_view(wake.number(2), due));
    } else {
      due.next_wake = std::min(at + lateness, due.next_wake.value_or(at + lateness));
    }
  }
  return {};
}

Result<> ViewRows::add_view(std::int64_t place, DueSchedules& due) {
  Cursor row = at_place_.query(place);
  if (!TRY(row.next())) return fail(ErrorCode::corrupt, "{}: a wake time has no schedule", connection_.file().string());
  due.views.push_back(TRY(read_view(row)));
  return {};
}

Result<ZoneEdition> ViewRows::zone_edition() {
  Cursor row = zone_edition_.query();
  if (!TRY(row.next()))
    return fail(ErrorCode::corrupt, "{}: the row of table meta is missing", connection_.file().string());
  return read_edition(row, 0);
}

Result<ScheduleScanPage> ViewRows::page_head() {
  Cursor row = page_head_.query();
  if (!TRY(row.next()))
    return fail(ErrorCode::corrupt, "{}: the row of table meta is missing", connection_.file().string());
  return ScheduleScanPage{.store_now = {},
                          .zone_edition = read_edition(row, 0),
                          .settled_edition = read_edition(row, 1),
                          .newest_write = row.instant(2),
                          .views = {},
                          .outages = {},
                          .decided_at = row.instant_if(3)};
}

Result<std::optional<std::string>> ViewRows::quarantine(Uid uid) {
  Cursor row = quarantine_.query(uid);
  if (!TRY(row.next())) return std::nullopt;
  return row.free_text(0);
}

}  // namespace carillon::sqlite
