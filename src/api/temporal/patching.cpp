#include "api/temporal/patching.hpp"

#include "api/temporal/schedule_ids.hpp"
#include "api/temporal/schedule_translation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace carillon::temporal {
namespace {

constexpr std::size_t schedule_id_size_max = 977;
constexpr std::size_t system_prefix_size = 23;  // of the workflow that is a schedule with Temporal
constexpr std::size_t notes_size_max = 1'000;
constexpr int backfill_request_count_max = 100;

OverlapPolicy policy_for(enums_pb::ScheduleOverlapPolicy wanted, const ScheduleRecord& record) {
  if (wanted != enums_pb::SCHEDULE_OVERLAP_POLICY_UNSPECIFIED) return overlap_of(wanted);
  const auto document = document_of(record);
  return document ? document->policies.overlap : OverlapPolicy::skip;
}

Outcome<> start_once(MethodCall& call, const ScheduleRecord& record, const TriggerRequest& request,
                     const WriteTerms& terms) {
  TRY(told(call.application.count_start(call.caller, operation_of(OperationId::trigger_schedule))));
  TRY(call.perform(OperationId::trigger_schedule,
                   [&] { return call.application.schedules().trigger(call.caller, name_of(record), request, terms); }));
  return {};
}

Outcome<> backfill(MethodCall& call, const ScheduleRecord& record, const schedule_pb::BackfillRequest& wanted,
                   const WriteTerms& terms) {
  const auto options = backfill_options(wanted, policy_for(wanted.overlap_policy(), record));
  if (!options) return {};
  TRY(call.perform(OperationId::create_backfill, [&] {
    return call.application.backfills().create(call.caller, name_of(record), *options, terms, Reach::ahead);
  }));
  return {};
}

Outcome<> write_notes(MethodCall& call, const ScheduleRecord& record, const std::string& notes,
                      const WriteTerms& terms) {
  if (notes.empty()) return {};
  TRY(call.perform(OperationId::pause_schedule,
                   [&] { return call.application.schedules().note(call.caller, name_of(record), notes, terms); }));
  return {};
}

using StateChange = Served<ScheduleAnswer> (Schedules::*)(const Caller&, const ScheduleName&, const WriteTerms&);

}  // namespace

std::optional<BackfillOptions> backfill_options(const schedule_pb::BackfillRequest& wanted, OverlapPolicy overlap) {
  const Instant from = instant_of(wanted.start_time());
  const Instant to = instant_of(wanted.end_time());
  // Nothing happens then, and nobody is told.
  if (!wanted.has_start_time() || !wanted.has_end_time() || to < from) return std::nullopt;
  return BackfillOptions{.from = from,
                         .to = to + Duration{1},  // which counts
                         .reprocess = Reprocess::all,
                         .concurrency = backfill_concurrency_max,
                         .overlap = overlap};
}

Outcome<> check_schedule_id(const std::string& id) {
  if (id.empty()) return invalid("Can't load workflow execution.  WorkflowId not set.");
  if (id.size() > schedule_id_size_max)
    return invalid(fmt::format("WorkflowId exceeds maximum allowed length ({}/1000)", id.size() + system_prefix_size));
  return {};
}

ScheduleName name_of(const ScheduleRecord& record) {
  return {.id = record.key.id.text(), .name_space = record.key.name_space.text()};
}

Outcome<ScheduleRecord> find_schedule(MethodCall& call, const std::string& name_space, const std::string& id) {
  TRY(check_namespace(call, name_space));
  TRY(check_schedule_id(id));
  const std::array ids{natural_id(id), spare_id(id)};
  for (const std::string& own : ids) {
    auto found = call.application.schedules().find(call.caller, {.id = own, .name_space = name_space});
    if (found && foreign_id(*found) == id) return *std::move(found);
    if (!found && found.error().kind != Refusal::Kind::not_found) return std::unexpected(status_of(found.error()));
    if (own == ids.back()) break;
  }
  return no_such_schedule();
}

Outcome<> check_patch(const schedule_pb::SchedulePatch& patch) {
  if (patch.pause().size() > notes_size_max || patch.unpause().size() > notes_size_max)
    return invalid("Schedule notes exceeds limit.");
  if (patch.backfill_request_size() > backfill_request_count_max)
    return invalid(fmt::format("a patch may have {} backfill requests", backfill_request_count_max));
  return {};
}

Outcome<> pause_schedule(MethodCall& call, const ScheduleRecord& record, const std::string& notes,
                         const WriteTerms& terms) {
  const ScheduleStatus status = record.view.state.status;
  // Nothing of it starts by itself already.
  if (status != ScheduleStatus::active && status != ScheduleStatus::paused)
    return write_notes(call, record, notes, terms);
  if (status == ScheduleStatus::paused && notes.empty()) return {};
  TRY(call.perform(OperationId::pause_schedule, [&] {
    return call.application.schedules().pause(call.caller, name_of(record), {.reason = notes.substr(0, notes_size_max)},
                                              terms);
  }));
  return {};
}

Outcome<> unpause_schedule(MethodCall& call, const ScheduleRecord& record, const std::string& notes,
                           const WriteTerms& terms) {
  const ScheduleStatus status = record.view.state.status;
  if (status == ScheduleStatus::paused) {
    TRY(call.perform(OperationId::resume_schedule, [&] {
      return call.application.schedules().resume(call.caller, name_of(record), ResumeRequest{.reason = notes}, terms);
    }));
    return {};
  }
  struct Change {
    OperationId operation;
    StateChange change;
  };
  std::optional<Change> change;
  if (status == ScheduleStatus::disabled) change = {OperationId::enable_schedule, &Schedules::enable};
  if (status == ScheduleStatus::dead) change = {OperationId::reset_schedule, &Schedules::reset};
  const bool is_last = notes.empty();
  if (change)
    TRY(call.perform(change->operation, [&] {
      return (call.application.schedules().*change->change)(call.caller, name_of(record),
                                                            is_last ? terms : WriteTerms{});
    }));
  return write_notes(call, record, notes, terms);
}

Outcome<> apply_patch(MethodCall& call, const ScheduleRecord& record, const schedule_pb::SchedulePatch& patch,
                      const WriteTerms& terms) {
  std::vector<std::function<Outcome<>(const WriteTerms&)>> changes;
  if (patch.has_trigger_immediately()) {
    const auto& wanted = patch.trigger_immediately();
    TriggerRequest request{.overlap = policy_for(wanted.overlap_policy(), record)};
    if (wanted.has_scheduled_time()) request.nominal = instant_of(wanted.scheduled_time());
    changes.emplace_back(
        [&call, &record, request](const WriteTerms& own) { return start_once(call, record, request, own); });
  }
  for (const schedule_pb::BackfillRequest& wanted : patch.backfill_request())
    changes.emplace_back([&](const WriteTerms& own) { return backfill(call, record, wanted, own); });
  // If both are there the second wins, and its notes.
  if (!patch.pause().empty() && patch.unpause().empty())
    changes.emplace_back([&](const WriteTerms& own) { return pause_schedule(call, record, patch.pause(), own); });
  if (!patch.unpause().empty())
    changes.emplace_back([&](const WriteTerms& own) { return unpause_schedule(call, record, patch.unpause(), own); });
  for (std::size_t i = 0; i < changes.size(); ++i) TRY(changes[i](i + 1 == changes.size() ? terms : WriteTerms{}));
  return {};
}

}  // namespace carillon::temporal
