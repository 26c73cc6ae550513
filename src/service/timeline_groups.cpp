#include "definitions/schedule_filter.hpp"
#include "document/document.hpp"
#include "service/timeline.hpp"
#include "service/timeline_marks.hpp"

#include <boost/json/object.hpp>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace carillon {
namespace {

constexpr std::uint64_t group_steps_max = 200'000'000;
constexpr std::size_t page_size = 500;
constexpr std::string_view no_schedule = "jobs without a schedule";

using Kind = TimelineGrouping::Kind;

/// Of a document; empty if the schedule does not have the label.
std::string label_of(std::string_view document, const std::string& label) {
  const auto labels = parse_json(facts_of(document).labels);
  if (!labels || !labels->is_object()) return {};
  const auto* const value = labels->get_object().if_contains(label);
  return value != nullptr && value->is_string() ? std::string{value->as_string()} : std::string{};
}

/// Rows by what they have in common, in the order of their names.
class Groups {
 public:
  explicit Groups(const TimelineGrouping& grouping) : grouping_{grouping} {}

  /// Where starts of a schedule that wait in this lane belong.
  [[nodiscard]] TimelineRow& row_of(const ScheduleRecord& record, const std::string& name, const std::string& lane) {
    switch (grouping_.kind) {
      case Kind::queue: return named(shown_queue(record.key.name_space.text(), lane));
      case Kind::name_space: return named(record.key.name_space.text());
      case Kind::label: {
        const std::string value = label_of(record.document, grouping_.label);
        return named(value.empty() ? without_label() : value);
      }
      default: break;
    }
    TimelineRow& row = rows_[{record.key.id.text(), record.key.name_space.text()}];
    row.key = record.key;
    row.name = name;
    row.status = record.view.state.status;
    return row;
  }
  /// Of a run whose schedule is deleted, or which never had one.
  [[nodiscard]] TimelineRow& row_of(const RunRecordRow& run) {
    switch (grouping_.kind) {
      case Kind::queue: return named(shown_queue(run.name_space, run.queue));
      case Kind::name_space: return named(run.name_space);
      case Kind::label: return named(without_label());
      default: return named(run.key ? run.key->id.text() : std::string{no_schedule});
    }
  }
  [[nodiscard]] std::vector<TimelineRow> take() {
    std::vector<TimelineRow> rows;
    for (auto& [name, row] : rows_)
      if (!row.marks.empty()) rows.push_back(std::move(row));
    return rows;
  }

 private:
  [[nodiscard]] std::string without_label() const { return "without " + grouping_.label; }
  TimelineRow& named(const std::string& name) {
    TimelineRow& row = rows_[{name, {}}];
    row.name = name;
    return row;
  }

  const TimelineGrouping& grouping_;
  std::map<std::pair<std::string, std::string>, TimelineRow> rows_;
};

/// The page of groups that was asked for.
void cut_page(TimelineAnswer& answer, const TimelineRequest& request) {
  answer.total = static_cast<std::int64_t>(answer.rows.size());
  const std::size_t count = std::clamp<std::size_t>(request.schedules.count_max, 1, Timelines::row_count_max);
  const std::size_t begin = std::min(request.offset, answer.rows.size());
  answer.rows.erase(answer.rows.begin(), answer.rows.begin() + static_cast<std::ptrdiff_t>(begin));
  if (answer.rows.size() <= count) return;
  answer.rows.resize(count);
  answer.next_offset = begin + count;
}

}  // namespace

/// Schedules that starts are drawn of: those that fit the filter, or those that wake soonest.
Served<Timelines::GroupedSchedules> Timelines::schedules_to_group(const TimelineRequest& request, Instant now) {
  GroupedSchedules found;
  if (!has_conditions(request.schedules.filter)) {
    if (request.to <= now) return found;
    found.records =
        TRY(parts_.store.queries.read_waking(request.schedules.filter.name_space, request.to, group_decision_max));
    found.is_partial = found.records.size() >= group_decision_max;
    return found;
  }
  ScheduleListRequest page{.filter = request.schedules.filter, .count_max = page_size};
  for (bool has_more = true; has_more && found.records.size() < group_decision_max;) {
    ScheduleList list = TRY(parts_.store.queries.list_schedules(page));
    has_more = list.has_more && !list.items.empty();
    if (has_more) page.after = list.items.back().key;
    found.is_partial = has_more;
    std::ranges::move(list.items, std::back_inserter(found.records));
  }
  return found;
}

Served<TimelineAnswer> Timelines::grouped(const Caller& caller, TimelineRequest request) {
  request.schedules.filter.name_space = TRY(caller.namespace_to_list(request.schedules.filter.name_space));
  const bool is_filtered = has_conditions(request.schedules.filter);
  TimelineAnswer answer{.now = parts_.clock.now(), .rows = {}, .resolution = resolution_of(request)};
  const GroupedSchedules found = TRY(schedules_to_group(request, answer.now));
  bool is_partial = found.is_partial;
  Groups groups{request.grouping};
  Budget budget{group_steps_max};
  const auto definition_of = [&](const ScheduleRecord& record) {
    const ScheduleState& state = record.view.state;
    return parts_.definitions.now()->get({.uid = state.uid, .revision = state.revision});
  };

  // None: it is deleted, or is not to be drawn.
  std::map<Uid, std::optional<ScheduleRecord>> known;
  for (const ScheduleRecord& record : found.records) {
    const ScheduleState& state = record.view.state;
    known.emplace(state.uid, record);
    const auto definition = definition_of(record);
    if (!definition || state.status != ScheduleStatus::active) continue;
    const Instant ahead = std::max({request.from, state.cursor + Duration{1}, answer.now});
    TimelineRow& row = groups.row_of(record, (*definition)->name, (*definition)->queue);
    add_planned(**definition, ahead, request.to, answer.resolution, row.marks, budget);
  }
  is_partial = is_partial || budget.is_spent();

  if (request.from < answer.now) {
    const RunListRequest newest{.filter = {.name_space = request.schedules.filter.name_space,
                                           .since = std::max(request.from - run_slack, instant_min),
                                           .until = std::min(request.to, answer.now) + Duration{1},
                                           .with_decisions = true},
                                .count_max = group_decision_max};
    const RunList decisions = TRY(parts_.store.queries.list_runs(newest));
    is_partial = is_partial || decisions.next.has_value();
    for (const RunRecordRow& decision : decisions.items) {
      const TimelineMark mark = mark_of(decision, answer.now);
      if (mark.to < request.from || mark.due.value_or(mark.from) >= request.to) continue;
      auto place = known.find(decision.uid);
      if (place == known.end()) {
        if (is_filtered) continue;
        place = known.emplace(decision.uid, std::nullopt).first;
        if (decision.key) place->second = TRY(parts_.store.queries.read_schedule(decision.uid));
      }
      if (!place->second) {
        groups.row_of(decision).marks.push_back(mark);
        continue;
      }
      const auto definition = definition_of(*place->second);
      const std::string name = definition ? (*definition)->name : place->second->key.id.text();
      groups.row_of(*place->second, name, decision.queue).marks.push_back(mark);
    }
  }
  answer.rows = groups.take();
  cut_page(answer, request);
  for (TimelineRow& row : answer.rows) row.is_partial = is_partial;
  finish(answer, request);
  return answer;
}

}  // namespace carillon
