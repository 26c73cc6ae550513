#pragma once

#include "engine/backfill.hpp"
#include "service/caller.hpp"
#include "service/parts.hpp"
#include "service/schedules.hpp"
#include "service/write_terms.hpp"

#include <optional>
#include <string>
#include <vector>

namespace carillon {

using BackfillRequest = BackfillOptions;

/// Whether a backfill through the schedule's slot may have occurrences that lie ahead: they start now.
enum class Reach { past, ahead };

/// What a backfill would do.
struct BackfillPreview {
  std::int64_t total = 0;      // occurrences in the range
  std::int64_t to_run = 0;     // of those, what would be started
  std::int64_t conflicts = 0;  // have a run already
  std::int64_t failed = 0;     // of those: the newest run did not succeed
  std::optional<Instant> first{};
  std::optional<Instant> last{};
};

/// Which backfills to list, newest first.
struct BackfillQuery {
  std::optional<std::string> name_space{};
  bool is_open_only = false;
  std::optional<Seq> before{};
  std::size_t count_max = 50;
};

struct BackfillAnswer {
  ScheduleKey key;
  Backfill record;
};

struct BackfillPage {
  std::vector<BackfillAnswer> items;
  std::optional<Seq> next{};
};

/// The id of a new backfill. A request that may be repeated always gets the same id, so that a repeat finds what the
/// first one made.
[[nodiscard]] std::string backfill_id_of(const std::optional<IdempotencyKey>& request);

/// Backfills: occurrences of the past that are run again, or for the first time. A caller that does not know the
/// namespace or the schedule is refused with not_found. May be called from several threads.
class Backfills {
 public:
  Backfills(const ServiceParts& parts, Schedules& schedules) : parts_{parts}, schedules_{schedules} {}

  /// What a backfill would do. Writes nothing.
  [[nodiscard]] Served<BackfillPreview> preview(const Caller& caller, const ScheduleName& name,
                                                const BackfillRequest& request);
  [[nodiscard]] Served<BackfillAnswer> create(const Caller& caller, const ScheduleName& name,
                                              const BackfillRequest& request, const WriteTerms& terms,
                                              Reach reach = Reach::past);
  /// Of all schedules that the caller knows.
  [[nodiscard]] Served<BackfillPage> list_all(const Caller& caller, const BackfillQuery& query);
  [[nodiscard]] Served<std::vector<BackfillAnswer>> list(const Caller& caller, const ScheduleName& name);
  [[nodiscard]] Served<BackfillAnswer> get(const Caller& caller, const ScheduleName& name, const std::string& id);
  /// Pauses, resumes or cancels a backfill. Refused if it has ended.
  [[nodiscard]] Served<BackfillAnswer> change(const Caller& caller, const ScheduleName& name, const std::string& id,
                                              BackfillChanged::Kind kind, const WriteTerms& terms);

 private:
  const ServiceParts& parts_;
  Schedules& schedules_;
};

}  // namespace carillon
