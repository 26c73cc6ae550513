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
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace carillon {

/// A start that a schedule will make, or would make if it were active.
struct PlannedStart {
  Instant nominal;
  Instant due;
  std::string local;  // nominal in the schedule's zone, RFC 3339 with offset
};

/// The next one of those that it will make.
struct NextStart {
  Instant nominal;
  Instant due;
};

/// What is found out by reading a document.
struct DocumentReading {
  std::vector<Finding> findings;
  std::string sentence;  // the spec in words; empty if it cannot be read
};

/// A schedule with everything that is shown of it.
struct ScheduleAnswer {
  ScheduleRecord record;
  DefinitionPtr definition;  // null: it cannot be read here, `problem` says why
  std::string problem;       // why it is in quarantine, or its definition cannot be read
  Activity activity = Activity::idle;
  std::optional<NextStart> next{};  // none unless active
  Counts counts;
  std::optional<std::int64_t> remaining_starts{};  // automatic ones; none: there is no limit
  std::int64_t running = 0;
  std::int64_t waiting = 0;
  std::int64_t current_retry = 0;
  std::vector<RunAnswer> recent;                   // newest first, at most ten
  std::vector<PlannedStart> upcoming;              // only if asked for
  std::shared_ptr<const DocumentReading> reading;  // never null
  std::vector<Finding> source_findings{};          // about the file that defines it, behind those of the document
};

/// Makes answers from records. Remembers warnings and sentences, which are expensive to find and change only with the
/// definition or the day. May be called from several threads.
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

  /// The answer for a record as a change would leave it, for a dry run. `document` is null if the change keeps the
  /// document.
  [[nodiscard]] Result<ScheduleAnswer> make_tried(ScheduleRecord record, DefinitionPtr definition,
                                                  const ScheduleDocument* document);

  /// Whether a schedule of this status has starts ahead: an active one, and a paused one for when it is resumed.
  [[nodiscard]] static bool has_starts_ahead(ScheduleStatus status);

  /// How many automatic starts are left; none: there is no limit.
  [[nodiscard]] static std::optional<std::int64_t> remaining_starts(const Definition& definition, const Counts& counts);

  /// The next starts after a time, at most `count`. Fewer if the budget is spent before: the caller must look at it.
  [[nodiscard]] static std::vector<PlannedStart> planned(const Definition& definition, Instant after,
                                                         std::optional<Instant> until, std::size_t count,
                                                         Budget& budget);

 private:
  using ReadingPtr = std::shared_ptr<const DocumentReading>;
  struct Remembered {
    std::int64_t revision = 0;
    std::int64_t day = 0;
    ReadingPtr reading;
  };
  enum class Detail { list, whole };
  /// Everything but its runs and what lies ahead of it.
  [[nodiscard]] ScheduleAnswer without_runs(ScheduleRecord record, Instant now, const ScheduleDocument* document);
  /// What lies ahead of it; nothing, unless it has starts ahead.
  static void plan(ScheduleAnswer& answer, Instant now, Detail detail);
  [[nodiscard]] ReadingPtr read(const ScheduleRecord& record, Instant now, const ScheduleDocument* document);
  [[nodiscard]] ReadingPtr remembered_reading(const ScheduleRecord& record, Instant now,
                                              const ScheduleDocument* document);

  const ServiceParts& parts_;
  std::mutex mutex_;
  std::map<Uid, Remembered> remembered_;  // guarded
};

}  // namespace carillon
