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
};

struct TimelineRow {
  ScheduleKey key;
  std::string name;
  ScheduleStatus status = ScheduleStatus::active;
  std::vector<TimelineMark> marks;  // ascending
  bool is_partial = false;          // there are more starts than are looked at for one row
};

struct TimelineRequest {
  ScheduleListRequest schedules{};  // a row for each
  Instant from{};
  Instant to{};
  std::int64_t width = 1'000;  // pixels of the whole stretch
};

struct TimelineAnswer {
  Instant now;
  std::vector<TimelineRow> rows;
  std::int64_t total = 0;             // schedules that fit the filter
  std::optional<ScheduleKey> next{};  // where the next page goes on
  Duration resolution{};              // starts that lie closer together are one mark
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

  Timelines(const ServiceParts& parts, Schedules& schedules) : parts_{parts}, schedules_{schedules} {}

  /// What happened and what is planned, as many rows as asked for, but at most `row_count_max`. Marks are made coarser
  /// until there are no more than `mark_count_max`. Refused as invalid if `to` is not behind `from`.
  [[nodiscard]] Served<TimelineAnswer> timeline(const Caller& caller, TimelineRequest request);

  /// The planned starts of active schedules in [from, to), ascending, at most `count_max`.
  [[nodiscard]] Served<std::vector<CalendarEntry>> calendar(const Caller& caller, ScheduleFilter filter, Instant from,
                                                            Instant to, std::size_t count_max);

 private:
  [[nodiscard]] Served<TimelineRow> row_of(const ScheduleRecord& record, const TimelineRequest& request, Instant now,
                                           Duration resolution, Budget& budget);

  const ServiceParts& parts_;
  Schedules& schedules_;
};

}  // namespace carillon
