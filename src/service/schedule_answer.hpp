#pragma once

#include "calendar/lint/lint.hpp"
#include "definitions/schedule_document.hpp"
#include "ports/query_store.hpp"
#include "scheduling/definition_cache.hpp"
#include "service/parts.hpp"
#include "service/refusal.hpp"
#include "service/run_answer.hpp"

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace carillon {

/// One instant that a schedule will, or would, be started for.
struct PlannedStart {
  Instant nominal;
  Instant due;
  std::string local;  // nominal on a clock of the schedule's zone, RFC 3339 with its offset
};

/// A schedule with all that people are told of it.
struct ScheduleAnswer {
  ScheduleRecord record;
  DefinitionPtr definition;  // null: it cannot be read here, `problem` says why
  std::string problem;       // why it is set aside
  Activity activity = Activity::idle;
  std::optional<PlannedStart> next{};  // none unless active
  Counts counts;
  std::int64_t running = 0;
  std::int64_t waiting = 0;
  std::int64_t current_retry = 0;
  std::vector<RunAnswer> recent;       // newest first, at most ten
  std::vector<PlannedStart> upcoming;  // only if asked for
  std::vector<Finding> warnings;
};

/// Puts answers together; remembers what is dear to find out and stays true for a day.
class ScheduleAnswers {
 public:
  explicit ScheduleAnswers(const ServiceParts& parts) : parts_{parts} {}

  /// How many of the newest runs an answer has at most.
  static constexpr std::size_t recent_count_max = 10;

  /// `document` is that of the record, if it is at hand.
  [[nodiscard]] Result<ScheduleAnswer> make(ScheduleRecord record, Instant now,
                                            const ScheduleDocument* document = nullptr);
  /// Of a page, in its order, with the runs that were read with it and without starts ahead but the next one. What all
  /// of them need is read once.
  [[nodiscard]] Result<std::vector<ScheduleAnswer>> make_list(ScheduleList list);

  /// Of a record as a change would leave it. `document` is its own if the change is about it.
  [[nodiscard]] Result<ScheduleAnswer> make_tried(ScheduleRecord record, DefinitionPtr definition,
                                                  const ScheduleDocument* document);

  /// Whether a schedule of this status can start what its spec says; a paused one when it is resumed.
  [[nodiscard]] static bool has_starts_ahead(ScheduleStatus status);

  /// The next starts after a time, at most `count`; the first of them if the budget is spent before that.
  [[nodiscard]] static std::vector<PlannedStart> planned(const Definition& definition, Instant after,
                                                         std::optional<Instant> until, std::size_t count,
                                                         Budget& budget);

 private:
  struct Remembered {
    std::int64_t revision = 0;
    std::int64_t day = 0;
    std::vector<Finding> findings;
  };
  enum class Detail { list, whole };
  /// Everything but its runs and what lies ahead of it.
  [[nodiscard]] ScheduleAnswer without_runs(ScheduleRecord record, Instant now, const ScheduleDocument* document);
  /// What lies ahead of it; nothing, unless it has starts ahead.
  static void plan(ScheduleAnswer& answer, Instant now, Detail detail);
  [[nodiscard]] std::vector<Finding> findings_of(const ScheduleRecord& record, Instant now,
                                                 const ScheduleDocument* document);
  [[nodiscard]] std::vector<Finding> warnings_of(const ScheduleRecord& record, Instant now,
                                                 const ScheduleDocument* document);

  const ServiceParts& parts_;
  std::mutex mutex_;
  std::map<Uid, Remembered> remembered_;  // guarded
};

}  // namespace carillon
