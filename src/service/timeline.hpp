#pragma once

#include "base/instant.hpp"
#include "service/caller.hpp"
#include "service/parts.hpp"
#include "service/schedules.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carillon {

/// What a mark of a timeline stands for.
enum class MarkKind { succeeded, failed, running, waiting, skipped, planned };
[[nodiscard]] std::string_view to_text(MarkKind kind);

/// Starts of one kind that lie so close together that they are drawn as one bar.
struct TimelineMark {
  Instant from;
  Instant to;  // not before `from`; a run that has not ended ends now
  MarkKind kind = MarkKind::planned;
  std::int64_t count = 1;
  std::optional<Seq> decision{};  // where it stands for one alone
  std::string run{};              // the same, for users
  std::optional<Instant> due{};   // of one that started later
};

/// What the rows stand for.
struct TimelineGrouping {
  enum class Kind {
    none,        // every schedule that fits, whether it has a start or not
    schedule,    // schedules that have a start, and jobs without a schedule
    queue,       // where runs wait, or would
    name_space,  // of schedules and jobs
    label,       // the value that schedules have for it
  };
  Kind kind = Kind::none;
  std::string label{};
};

struct TimelineRow {
  std::optional<ScheduleKey> key{};  // none: a group
  std::string name;
  std::optional<ScheduleStatus> status{};  // of a schedule, as it is now
  std::vector<TimelineMark> marks;         // ascending
  bool is_partial = false;                 // there are more starts than are looked at for one row
};

struct TimelineRequest {
  ScheduleListRequest schedules{};  // a row for each
  Instant from{};
  Instant to{};
  std::int64_t width = 1'000;  // pixels of the whole stretch
  TimelineGrouping grouping{};
  std::size_t offset = 0;  // groups that are left out before the first row
};

struct TimelineAnswer {
  Instant now;
  std::vector<TimelineRow> rows;
  std::int64_t total = 0;                    // schedules that fit the filter, or groups
  std::optional<ScheduleKey> next{};         // where the next page goes on
  std::optional<std::size_t> next_offset{};  // the same, of groups
  Duration resolution{};                     // starts that lie closer together are one mark
};

/// A planned start, for a calendar.
struct CalendarEntry {
  ScheduleKey key;
  std::string name;
  PlannedStart start;
};

/// Many schedules over a stretch of time. They change nothing and may be called from several threads.
class Timelines {
 public:
  /// Marks of one answer, whatever is asked for.
  static constexpr std::size_t mark_count_max = 2'000;
  static constexpr std::size_t row_count_max = 100;
  static constexpr std::size_t group_decision_max = 2'000;

  Timelines(const ServiceParts& parts, Schedules& schedules) : parts_{parts}, schedules_{schedules} {}

  /// What happened and what is planned, as many rows as asked for, but at most `row_count_max`. Marks are made coarser
  /// until there are no more than `mark_count_max`. Groups are made of the newest `group_decision_max` decisions, and
  /// of as many schedules. Refused as invalid if `to` is not behind `from`.
  [[nodiscard]] Served<TimelineAnswer> timeline(const Caller& caller, TimelineRequest request);

  /// The planned starts of active schedules in [from, to), ascending, at most `count_max`.
  [[nodiscard]] Served<std::vector<CalendarEntry>> calendar(const Caller& caller, ScheduleFilter filter, Instant from,
                                                            Instant to, std::size_t count_max);

 private:
  [[nodiscard]] Served<TimelineRow> row_of(const ScheduleRecord& record, const TimelineRequest& request, Instant now,
                                           Duration resolution, Budget& budget);
  struct GroupedSchedules {
    std::vector<ScheduleRecord> records;
    bool is_partial = false;  // there are more
  };
  [[nodiscard]] Served<GroupedSchedules> schedules_to_group(const TimelineRequest& request, Instant now);
  [[nodiscard]] Served<TimelineAnswer> grouped(const Caller& caller, TimelineRequest request);
  /// Merges marks, and names the runs of those that are left.
  void finish(TimelineAnswer& answer, const TimelineRequest& request) const;

  const ServiceParts& parts_;
  Schedules& schedules_;
};

}  // namespace carillon
