#pragma once

#include "base/error.hpp"
#include "engine/schedule_document.hpp"
#include "engine/step.hpp"
#include "scheduling/mind.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace carillon {

/// How a wish is to be granted.
struct WishTerms {
  std::optional<std::int64_t> request{};       // names the wish, so that a repeated call has one effect
  std::optional<KnownRevision> if_revision{};  // of the schedule; else conflict
  const Attached* attached = nullptr;          // written with it
};

/// What users want done, from any thread; those who come at the same time are written together. What is granted is
/// durable when the call returns.
class Wishes {
 public:
  /// `on_granted` is called after each that was granted, so that the loop looks at it at once.
  /// Nothing is granted by a time that `check_clock` refuses.
  Wishes(ScheduleStore& store, RunQueue& queue, SharedDefinitions& definitions, std::function<void()> on_granted,
         ClockCheck check_clock = {});

  [[nodiscard]] Result<Changed> create(const ScheduleDocument& document, const std::string& by,
                                       const WishTerms& terms = {});
  [[nodiscard]] Result<Changed> edit(const ScheduleDocument& document, const std::string& by,
                                     const WishTerms& terms = {});
  [[nodiscard]] Result<Changed> change(const ScheduleKey& key, const Event& event, const WishTerms& terms = {});

  /// What each of them would do, without writing anything; refused as they would be.
  [[nodiscard]] Result<Tried> try_create(const ScheduleDocument& document, const std::string& by);
  [[nodiscard]] Result<Tried> try_edit(const ScheduleDocument& document, const std::string& by,
                                       std::optional<KnownRevision> if_revision = {});
  [[nodiscard]] Result<Tried> try_change(const ScheduleKey& key, const Event& event,
                                         std::optional<KnownRevision> if_revision = {});

  /// Brings the store to the zone rules of this machine, if they are newer. Wishes about zoned schedules need that.
  [[nodiscard]] Result<std::size_t> adopt_zone_rules();

  /// Creates it, or makes an existing one equal to it.
  enum class Applied { created, updated, unchanged };
  [[nodiscard]] Result<Applied> apply(const ScheduleDocument& document, const std::string& by,
                                      const Attached* attached = nullptr);

 private:
  /// A mind is for one thread at a time: it is taken for a call and put back.
  template <typename Wish>
  [[nodiscard]] auto with_mind(Wish wish);
  template <typename Wish>
  [[nodiscard]] Result<Changed> grant(Wish wish);

  ScheduleStore& store_;
  RunQueue& queue_;
  SharedDefinitions& definitions_;
  std::function<void()> on_granted_;
  ClockCheck check_clock_;
  std::mutex mutex_;
  // Guarded.
  std::vector<std::unique_ptr<Mind>> idle_;
  std::shared_ptr<const ZoneNames> names_;  // by whose rules the idle ones work
};

}  // namespace carillon
