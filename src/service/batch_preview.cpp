#include "service/batch_preview.hpp"

#include "base/assertion.hpp"
#include "base/crypto.hpp"

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace carillon {
namespace {

constexpr Duration consequence_time = std::chrono::hours{1};
/// What counting all occurrences may take: two seconds.
constexpr std::uint64_t consequence_steps_max = 200'000'000;

/// Whether occurrences of a schedule are lost by an operation, or won.
enum class OccurrenceEffect { none, lost, won };

OccurrenceEffect occurrence_effect(OperationId operation) {
  switch (operation) {
    case OperationId::pause_schedule:
    case OperationId::disable_schedule:
    case OperationId::delete_schedule: return OccurrenceEffect::lost;
    case OperationId::resume_schedule:
    case OperationId::enable_schedule:
    case OperationId::reset_schedule: return OccurrenceEffect::won;
    default: return OccurrenceEffect::none;
  }
}

std::string occurrences_text(std::int64_t count) {
  return count == 1 ? "1 occurrence" : fmt::format("{} occurrences", count);
}

std::string consequence_sentence(OperationId operation, std::int64_t count, bool is_partial) {
  const std::string_view least = is_partial ? "at least " : "";
  switch (occurrence_effect(operation)) {
    case OccurrenceEffect::lost:
      return fmt::format("{}{} in the next hour will not run", least, occurrences_text(count));
    case OccurrenceEffect::won: return fmt::format("{}{} in the next hour will run", least, occurrences_text(count));
    case OccurrenceEffect::none: break;
  }
  const std::string_view runs = count == 1 ? "run" : "runs";
  if (operation == OperationId::trigger_schedule) return fmt::format("{} {} will be started", count, runs);
  if (operation == OperationId::cancel_schedule) return fmt::format("{} {} will be cancelled", count, runs);
  return {};
}

}  // namespace

std::vector<BatchTarget> BatchPreviews::read(const Caller& caller, std::span<const ScheduleName> names) {
  std::vector<BatchTarget> targets;
  targets.reserve(names.size());
  for (const ScheduleName& name : names) {
    auto record = schedules_.find(caller, name);
    targets.push_back({.name = name, .record = record ? std::optional{*std::move(record)} : std::nullopt});
  }
  return targets;
}

std::string BatchPreviews::token_of(const BatchOperation& operation, std::span<const BatchTarget> targets) {
  std::string text = fmt::format("{}\n{}\n", operation_of(operation.id).name,
                                 operation.patch == nullptr ? "" : boost::json::serialize(*operation.patch));
  for (const BatchTarget& target : targets) {
    if (!target.record) {
      text += fmt::format("{} -\n", target.name.id);
      continue;
    }
    const ScheduleState& state = target.record->view.state;
    text += fmt::format("{} {} {}\n", static_cast<std::int64_t>(state.uid), state.revision, to_text(state.status));
  }
  return sha256_hex(text).substr(0, 32);
}

Served<BatchPreviews::Trial> BatchPreviews::try_one(const Caller& caller, const BatchOperation& operation,
                                                    const BatchTarget& target) {
  if (!target.record) return no_schedule(target.name.id);
  const WriteTerms dry{.is_dry_run = true};
  const ScheduleState& before = target.record->view.state;
  const auto changed = [&](Served<ScheduleAnswer> answer) -> Served<Trial> {
    const ScheduleAnswer tried = TRY(std::move(answer));
    const ScheduleState& after = tried.record.view.state;
    return Trial{.is_changed = after.revision != before.revision || after.status != before.status};
  };
  switch (operation.id) {
    case OperationId::pause_schedule: return changed(schedules_.pause(caller, target.name, {}, dry));
    case OperationId::resume_schedule: return changed(schedules_.resume(caller, target.name, dry));
    case OperationId::enable_schedule: return changed(schedules_.enable(caller, target.name, dry));
    case OperationId::disable_schedule: return changed(schedules_.disable(caller, target.name, dry));
    case OperationId::reset_schedule: return changed(schedules_.reset(caller, target.name, dry));
    case OperationId::patch_schedule: return changed(schedules_.patch(caller, target.name, *operation.patch, dry));
    case OperationId::delete_schedule:
      TRY(schedules_.remove(caller, target.name, dry));
      return Trial{.is_changed = true};
    case OperationId::trigger_schedule: {
      const TriggerDecision decision = TRY(schedules_.try_trigger(caller, target.name, {}, dry));
      const bool is_started = decision.outcome != DecisionOutcome::skipped;
      return Trial{.is_changed = is_started, .runs = is_started ? 1 : 0};
    }
    case OperationId::cancel_schedule: {
      const std::int64_t count = TRY(schedules_.cancel(caller, target.name, dry));
      return Trial{.is_changed = count > 0, .runs = count};
    }
    default: break;
  }
  CARILLON_ASSERT(false);
  return Trial{};
}

BatchPreview BatchPreviews::make(const Caller& caller, const BatchOperation& operation,
                                 std::span<const BatchTarget> targets) {
  BatchPreview preview;
  std::vector<BatchSample> others;
  Budget budget{consequence_steps_max};
  const Instant now = parts_.clock.now();
  for (const BatchTarget& target : targets) {
    const auto trial = try_one(caller, operation, target);
    BatchSample sample{.name = target.name};
    if (!trial) {
      ++preview.refused;
      sample.effect = BatchSample::Effect::refused;
      sample.message = trial.error().message;
    } else if (!trial->is_changed) {
      ++preview.unchanged;
      sample.effect = BatchSample::Effect::unchanged;
    } else {
      ++preview.affected;
      preview.consequence_count += trial->runs;
    }
    const bool counts = trial && trial->is_changed && occurrence_effect(operation.id) != OccurrenceEffect::none;
    const bool is_sampled =
        (sample.effect == BatchSample::Effect::changed ? preview.samples : others).size() < sample_count_max;
    if (!counts && !is_sampled) continue;
    const ScheduleState* const state = target.record ? &target.record->view.state : nullptr;
    const auto definition = state == nullptr
                                ? Result<DefinitionPtr>{nullptr}
                                : parts_.definitions.now()->get({.uid = state->uid, .revision = state->revision});
    const bool is_readable = definition && *definition != nullptr;
    if (is_readable) sample.title = (*definition)->name;
    // What is not active loses nothing by being stopped.
    const bool may_count = occurrence_effect(operation.id) == OccurrenceEffect::won ||
                           (state != nullptr && state->status == ScheduleStatus::active);
    if (counts && may_count && is_readable && (*definition)->has_occurrences && !budget.is_spent()) {
      const std::uint64_t count = (*definition)->timetable.count(now, now + consequence_time, budget);
      preview.consequence_count += budget.is_spent() ? 0 : static_cast<std::int64_t>(count);
    }
    if (is_sampled)
      (sample.effect == BatchSample::Effect::changed ? preview.samples : others).push_back(std::move(sample));
  }
  preview.is_partial = budget.is_spent();
  for (BatchSample& sample : others)
    if (preview.samples.size() < sample_count_max) preview.samples.push_back(std::move(sample));
  preview.sentence = consequence_sentence(operation.id, preview.consequence_count, preview.is_partial);
  preview.token = token_of(operation, targets);
  return preview;
}

}  // namespace carillon
