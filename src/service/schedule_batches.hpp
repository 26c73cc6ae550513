#pragma once

#include "service/batch_preview.hpp"
#include "service/caller.hpp"
#include "service/operation.hpp"
#include "service/schedules.hpp"
#include "service/start_limit.hpp"
#include "service/write_terms.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace carillon {

/// How many schedules one request may be about.
inline constexpr std::size_t batch_count_max = 10'000;
/// And how many it may start.
inline constexpr std::size_t batch_trigger_max = 1'000;

/// One operation for many schedules of one namespace: those of `ids`, or those that fit `filter`.
struct ScheduleBatch {
  OperationId operation{};  // of one schedule: delete, pause, resume, enable, disable, reset, trigger, cancel or patch
  boost::json::value patch{};  // of a patch (RFC 7396), the same for all
  std::vector<std::string> ids{};
  std::optional<ScheduleFilter> filter{};  // one that names nothing stands for all schedules
  std::optional<std::string> name_space{};
  bool is_preview = false;  // nothing is done; the answer says what would be
  std::string token{};      // of the preview that this was decided by; empty: none
};

struct BatchAnswer {
  struct Item {
    ScheduleName name;
    Served<> done;
  };
  std::size_t count = 0;
  std::vector<Item> items{};              // empty if nothing was done
  std::optional<BatchPreview> preview{};  // if nothing was done
};

/// What is done with many schedules at once: to each what a request about it alone would do. May be called from several
/// threads.
class ScheduleBatches {
 public:
  ScheduleBatches(const ServiceParts& parts, Schedules& schedules, StartLimit& starts)
      : schedules_{schedules}, starts_{starts}, previews_{parts, schedules} {}

  /// Needs the scope of the operation on one schedule; runs that it starts count against the caller's limit. A request
  /// that is sent again with its idempotency key does to each schedule only what it has not done yet. With the token of
  /// a preview it is refused (`preview_stale`) if any of the schedules has changed, come or gone since, and a schedule
  /// that changes while the batch is at work is left as it is.
  [[nodiscard]] Served<BatchAnswer> perform(const Caller& caller, ScheduleBatch request, const WriteTerms& terms);

  /// Deletes these schedules. One that is gone already is as it should be; the first refusal of another kind ends it.
  [[nodiscard]] Served<> remove(const Caller& caller, std::span<const std::string> ids,
                                const std::optional<std::string>& name_space, const WriteTerms& terms);

 private:
  [[nodiscard]] Served<std::vector<ScheduleName>> names_of(const Caller& caller, ScheduleBatch& request);
  [[nodiscard]] Served<std::vector<ScheduleName>> names_by(const Caller& caller, const ScheduleFilter& filter);
  [[nodiscard]] Served<> change(const Caller& caller, const ScheduleBatch& batch, const ScheduleName& name,
                                const WriteTerms& terms);
  [[nodiscard]] Served<> change_once(const Caller& caller, const ScheduleBatch& batch, const ScheduleName& name,
                                     const WriteTerms& terms);

  Schedules& schedules_;
  StartLimit& starts_;
  BatchPreviews previews_;
};

}  // namespace carillon
