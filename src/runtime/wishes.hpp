#pragma once

#include "base/error.hpp"
#include "engine/schedule_document.hpp"
#include "engine/step.hpp"
#include "runtime/mind.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace carillon {

/// What users want done, from any thread. What is granted is durable when the call returns.
class Wishes {
 public:
  /// `on_granted` is called after each that was granted, so that the loop looks at it at once.
  Wishes(ScheduleStore& store, RunQueue& queue, SharedDefinitions& definitions, std::function<void()> on_granted);

  // `request` names the wish, so that a repeated call has one effect; left out: this one is not repeated.
  [[nodiscard]] Result<Changed> create(const ScheduleDocument& document, const std::string& by,
                                       std::optional<std::int64_t> request = {});
  [[nodiscard]] Result<Changed> edit(const ScheduleDocument& document, const std::string& by,
                                     std::optional<std::int64_t> request = {},
                                     std::optional<std::int64_t> if_revision = {});
  [[nodiscard]] Result<Changed> change(const ScheduleKey& key, const Event& event,
                                       std::optional<std::int64_t> request = {},
                                       std::optional<std::int64_t> if_revision = {});

  /// Brings the store to the zone rules of this machine, if they are newer. Wishes about zoned schedules need that.
  [[nodiscard]] Result<std::size_t> adopt_zone_rules();

  /// Creates it, or makes an existing one equal to it.
  enum class Applied { created, updated, unchanged };
  [[nodiscard]] Result<Applied> apply(const ScheduleDocument& document, const std::string& by);

 private:
  [[nodiscard]] Mind& mind();
  Result<Changed> granted(Result<Changed> changed);

  ScheduleStore& store_;
  RunQueue& queue_;
  SharedDefinitions& definitions_;
  std::function<void()> on_granted_;
  std::mutex mutex_;
  std::unique_ptr<Mind> mind_;
  std::shared_ptr<const ZoneNames> names_;  // tells when the zone rules have changed
};

}  // namespace carillon
