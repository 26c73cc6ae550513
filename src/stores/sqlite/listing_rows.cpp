#include "stores/sqlite/listing_rows.hpp"

#include <algorithm>

namespace carillon::sqlite {
namespace {

// The row of a schedule, which is named by its uid.
#define CARILLON_LISTED                                                                                  \
  "WHERE namespace = (SELECT namespace FROM schedule WHERE uid = ?1) AND id = (SELECT id FROM schedule " \
  "WHERE uid = ?1) AND uid = ?1"
#define CARILLON_LISTING_QUERY "SELECT uid, namespace, id, status, name, action, labels, workflow FROM listing "

char lower_case(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Whether a schedule stands behind a key in the order of lists.
bool is_after(const ListedSchedule& one, const std::optional<ScheduleKey>& key) {
  if (!key) return true;
  if (one.name_space != key->name_space.text()) return one.name_space > key->name_space.text();
  return std::ranges::lexicographical_compare(key->id.text(), one.id, {}, lower_case, lower_case);
}

ListedSchedule read_listed(const Cursor& row) {
  return {.name_space = row.text(1),
          .id = row.text(2),
          .status = row.one_of(3, ScheduleStatus::dead),
          .name = row.text(4),
          .action = row.text(5),
          .labels = row.text(6),
          .workflow = row.text(7)};
}

}  // namespace

ListingRows::ListingRows(Connection& connection)
    : insert_{connection, "INSERT INTO listing VALUES (?2, ?3, ?1, ?4, ?5, ?6, ?7, ?8)"},
      set_facts_{connection, "UPDATE listing SET name = ?2, action = ?3, labels = ?4, workflow = ?5 " CARILLON_LISTED},
      set_status_{connection, "UPDATE listing SET status = ?2 " CARILLON_LISTED},
      drop_{connection, "DELETE FROM listing " CARILLON_LISTED},
      count_up_{connection, "INSERT INTO namespace VALUES (?1, 1) ON CONFLICT DO UPDATE SET schedules = schedules + 1"},
      count_down_{connection,
                  "UPDATE namespace SET schedules = schedules - 1 "
                  "WHERE name = (SELECT namespace FROM schedule WHERE uid = ?1)"},
      count_all_{connection, "SELECT coalesce(sum(schedules), 0) FROM namespace"},
      count_in_{connection, "SELECT coalesce(sum(schedules), 0) FROM namespace WHERE name = ?1"},
      page_{connection,
            "SELECT uid FROM listing WHERE (namespace, id) > (?1, ?2) ORDER BY namespace, id LIMIT ?3 OFFSET ?4"},
      page_in_{connection, "SELECT uid FROM listing WHERE namespace = ?1 AND id > ?2 ORDER BY id LIMIT ?3 OFFSET ?4"},
      all_{connection, CARILLON_LISTING_QUERY "ORDER BY namespace, id"},
      all_in_{connection, CARILLON_LISTING_QUERY "WHERE namespace = ?1 ORDER BY namespace, id"},
      waking_{connection, "SELECT uid FROM wake WHERE at < ?1"},
      documents_{connection, "SELECT uid, document FROM definition ORDER BY place"} {}

Result<> ListingRows::add(Uid uid, const ScheduleKey& key, ScheduleStatus status, const ScheduleFacts& facts) {
  TRY(insert_.run(uid, key.name_space.text(), key.id.text(), status, facts.name, facts.action, facts.labels,
                  facts.workflow));
  return count_up_.run(key.name_space.text());
}

Result<> ListingRows::set_facts(Uid uid, const ScheduleFacts& facts) {
  return set_facts_.run(uid, facts.name, facts.action, facts.labels, facts.workflow);
}

Result<> ListingRows::set_status(Uid uid, ScheduleStatus status) { return set_status_.run(uid, status); }

Result<> ListingRows::drop(Uid uid) {
  TRY(drop_.run(uid));
  return count_down_.run(uid);
}

Result<std::int64_t> ListingRows::count(const std::optional<std::string>& name_space) {
  Cursor row = name_space ? count_in_.query(*name_space) : count_all_.query();
  TRY(row.next());
  return row.count(0);
}

Result<ListingRows::Listed> ListingRows::list(const ScheduleListRequest& request) {
  return has_conditions(request.filter) ? list_sifted(request) : list_page(request);
}

Result<ListingRows::Listed> ListingRows::list_page(const ScheduleListRequest& request) {
  const auto& name_space = request.filter.name_space;
  Listed listed{.uids = {}, .total = TRY(count(name_space)), .has_more = false};
  const std::string_view after_namespace = request.after ? request.after->name_space.text() : std::string_view{};
  const std::string_view after_id = request.after ? request.after->id.text() : std::string_view{};
  // One more than asked for tells whether there are more.
  const std::int64_t limit = limit_of(std::min(request.count_max, std::size_t{1} << 40)) + 1;
  const std::int64_t offset = limit_of(request.offset);
  if (name_space && after_namespace > *name_space) return listed;
  const bool is_inside = name_space && after_namespace == *name_space;
  Cursor row = name_space ? page_in_.query(*name_space, is_inside ? after_id : std::string_view{}, limit, offset)
                          : page_.query(after_namespace, after_id, limit, offset);
  while (TRY(row.next())) {
    listed.has_more = listed.uids.size() == request.count_max;
    if (!listed.has_more) listed.uids.push_back(row.as<Uid>(0));
  }
  return listed;
}

Result<ListingRows::Listed> ListingRows::list_sifted(const ScheduleListRequest& request) {
  const ScheduleFilter& filter = request.filter;
  const ScheduleMatcher matcher{filter};
  std::unordered_set<std::int64_t> waking;
  if (filter.next_before) waking = TRY(waking_before(*filter.next_before));
  std::unordered_map<std::int64_t, std::string> timezones;
  if (asks_for_timezones(filter)) timezones = TRY(read_timezones());
  Listed listed;
  std::size_t passed = 0;  // of those after the key
  Cursor row = filter.name_space ? all_in_.query(*filter.name_space) : all_.query();
  while (TRY(row.next())) {
    ListedSchedule one = read_listed(row);
    if (const auto zone = timezones.find(row.number(0)); zone != timezones.end()) one.timezone = zone->second;
    if (!matcher.matches(one) || (filter.next_before && !waking.contains(row.number(0)))) continue;
    ++listed.total;
    if (!is_after(one, request.after) || ++passed <= request.offset) continue;
    listed.has_more = listed.uids.size() == request.count_max;
    if (!listed.has_more) listed.uids.push_back(row.as<Uid>(0));
  }
  return listed;
}

Result<std::unordered_set<std::int64_t>> ListingRows::waking_before(Instant time) {
  std::unordered_set<std::int64_t> uids;
  Cursor row = waking_.query(time);
  while (TRY(row.next())) uids.insert(row.number(0));
  return uids;
}

// The newest definition of a schedule is its last row.
Result<std::unordered_map<std::int64_t, std::string>> ListingRows::read_timezones() {
  std::unordered_map<std::int64_t, std::string> timezones;
  Cursor row = documents_.query();
  while (TRY(row.next())) timezones[row.number(0)] = timezone_of(row.text(1));
  return timezones;
}

}  // namespace carillon::sqlite
