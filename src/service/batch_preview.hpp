#pragma once

#include "service/caller.hpp"
#include "service/operation.hpp"
#include "service/parts.hpp"
#include "service/schedules.hpp"

#include <boost/json/value.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace carillon {

/// What an operation would do to one schedule.
struct BatchSample {
  enum class Effect { changed, unchanged, refused };
  ScheduleName name;
  std::string title{};  // the name that people gave it
  Effect effect = Effect::changed;
  std::string message{};  // why it would be refused
};

/// What an operation would do to many schedules.
struct BatchPreview {
  std::size_t affected = 0;
  std::size_t unchanged = 0;
  std::size_t refused = 0;
  std::vector<BatchSample> samples{};  // the first few, those that change first
  /// Occurrences in the hour from now that will not run, or that will after all; or runs that are started or cancelled.
  std::int64_t consequence_count = 0;
  bool is_partial = false;  // not all of them could be counted in the time for one request
  std::string sentence{};   // the consequence, for people; empty: none
  std::string token{};      // names the schedules and their revisions, and what is done to them
};

/// A schedule of a batch, as it was read.
struct BatchTarget {
  ScheduleName name;
  std::optional<ScheduleRecord> record;  // none: there is no such schedule, or the caller does not know it
};

/// What is done to each.
struct BatchOperation {
  OperationId id{};
  const boost::json::value* patch = nullptr;  // of patch_schedule
};

/// Says what a batch would do. Every schedule is tried by the same way that a change goes, without writing; so rights
/// and rules are those of the change itself. May be called from several threads.
class BatchPreviews {
 public:
  BatchPreviews(const ServiceParts& parts, Schedules& schedules) : parts_{parts}, schedules_{schedules} {}

  static constexpr std::size_t sample_count_max = 5;

  [[nodiscard]] std::vector<BatchTarget> read(const Caller& caller, std::span<const ScheduleName> names);
  [[nodiscard]] BatchPreview make(const Caller& caller, const BatchOperation& operation,
                                  std::span<const BatchTarget> targets);
  /// Another one whenever a schedule has joined, left or been changed.
  [[nodiscard]] static std::string token_of(const BatchOperation& operation, std::span<const BatchTarget> targets);

 private:
  struct Trial {
    bool is_changed = false;
    std::int64_t runs = 0;  // started or cancelled
  };
  [[nodiscard]] Served<Trial> try_one(const Caller& caller, const BatchOperation& operation, const BatchTarget& target);

  const ServiceParts& parts_;
  Schedules& schedules_;
};

}  // namespace carillon
