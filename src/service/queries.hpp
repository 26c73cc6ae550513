#pragma once

#include "base/instant.hpp"
#include "service/caller.hpp"
#include "service/parts.hpp"
#include "service/schedules.hpp"

#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace carillon {

/// Occurrences skipped in a row for one reason.
struct SkippedSpan {
  RangeLine line;
};

/// What became of an occurrence, or what will.
using OccurrenceAnswer = std::variant<RunAnswer, SkippedSpan, PlannedStart>;

[[nodiscard]] Instant nominal_of(const OccurrenceAnswer& occurrence);

/// Why an instant of a schedule was, or will be, decided as it was.
struct WhyAnswer {
  std::string sentence;
  std::optional<OccurrenceAnswer> occurrence{};  // none: nothing was decided about that time, nor will be
  bool is_occurrence = false;                    // of the definition in force, whether it was decided or not
  std::vector<ChangeLine> changes{};             // of the schedule, up to that time, newest last
  std::optional<PlannedStart> before{};          // the nearest occurrences, when there is none
  std::optional<PlannedStart> after{};
  std::vector<Outage> outages{};  // in which it came due
};

/// The cause of an outage as part of a sentence: "no server was running".
[[nodiscard]] std::string_view meaning_of(OutageCause cause);

/// What a spec means, without saving anything.
struct PreviewAnswer {
  std::string sentence;
  std::string timezone;
  std::vector<PlannedStart> next;
  std::vector<Finding> warnings;
};

/// What a schedule will start next.
struct NextRuns {
  std::vector<PlannedStart> items;
  std::string reason{};  // why there are none, if that is because of its status
};

struct UpcomingStart {
  ScheduleKey key;
  std::string name;
  PlannedStart start;
};

/// Planned starts in one stretch of time.
struct LoadBucket {
  Instant from;
  std::int64_t count = 0;
  double busy = 0;  // runs at work on average, as far as it is known how long they take; only if asked for
};

enum class LoadDetail { counts, work };

struct LoadAnswer {
  std::vector<LoadBucket> buckets;
  std::int64_t schedules = 0;              // with starts in that time
  std::int64_t timed = 0;                  // of those: it is known how long their runs take; only if asked for
  std::optional<std::int64_t> capacity{};  // runs at a time that this server performs itself; none: not known
  bool is_partial = false;                 // some schedules are not counted: there are too many for one request
};

/// Queries about time. They change nothing and may be called from several threads. A query that would take too long is
/// refused as invalid with the code `too-complex`, and the hint says what to ask instead.
class Queries {
 public:
  Queries(const ServiceParts& parts, Schedules& schedules) : parts_{parts}, schedules_{schedules} {}

  /// The next starts of an active or paused schedule, at most `count`.
  [[nodiscard]] Served<NextRuns> next_runs(const Caller& caller, const ScheduleName& name, std::size_t count);
  /// When the schedule is due in (after, until], whatever its status and its past; at most `count_max`.
  [[nodiscard]] Served<std::vector<PlannedStart>> matching_times(const Caller& caller, const ScheduleName& name,
                                                                 Instant after, Instant until, std::size_t count_max);
  /// Past decisions and future starts in [from, to), ascending.
  [[nodiscard]] Served<std::vector<OccurrenceAnswer>> occurrences(const Caller& caller, const ScheduleName& name,
                                                                  Instant from, Instant to, std::size_t count_max);
  /// What users did to a schedule in [from, to), newest last; at most `count_max`, the newest.
  [[nodiscard]] Served<std::vector<ChangeLine>> changes(const Caller& caller, const ScheduleName& name, Instant from,
                                                        Instant to, std::size_t count_max);
  /// Outages in [from, to), ascending; at most `count_max`, the newest.
  [[nodiscard]] Served<std::vector<Outage>> outages(Instant from, Instant to, std::size_t count_max);
  /// What became, or will become, of the occurrence at `at`, in one sentence. An instant without an occurrence is
  /// answered too, with its neighbours.
  [[nodiscard]] Served<WhyAnswer> why(const Caller& caller, const ScheduleName& name, Instant at);
  /// What a spec, or a whole schedule document (canonical or short), means: its sentence, its next starts after `after`
  /// and its warnings.
  [[nodiscard]] Served<PreviewAnswer> preview(const boost::json::value& document, std::size_t count,
                                              std::optional<Instant> after);
  /// The next starts of all active schedules before `until`, by due time, at most `count`.
  [[nodiscard]] Served<std::vector<UpcomingStart>> upcoming(const Caller& caller,
                                                            const std::optional<std::string>& name_space,
                                                            std::optional<Instant> until, std::size_t count);
  /// How many starts are planned in each bucket of [from, to). With `work` also how many runs are at work then, by how
  /// long the newest runs of each schedule took.
  [[nodiscard]] Served<LoadAnswer> load(const Caller& caller, const std::optional<std::string>& name_space,
                                        Instant from, Instant to, Duration bucket,
                                        LoadDetail detail = LoadDetail::counts);

 private:
  [[nodiscard]] Served<DefinitionPtr> definition_of(const ScheduleRecord& record);
  [[nodiscard]] Served<std::string> explain(const ScheduleRecord& record, Instant at, const WhyAnswer& answer);

  const ServiceParts& parts_;
  Schedules& schedules_;
};

}  // namespace carillon
