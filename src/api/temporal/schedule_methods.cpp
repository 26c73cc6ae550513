#include "api/temporal/answers.hpp"
#include "api/temporal/patching.hpp"
#include "api/temporal/payloads.hpp"
#include "api/temporal/schedule_ids.hpp"
#include "api/temporal/schedule_translation.hpp"
#include "base/crypto.hpp"
#include "definitions/new_definition.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

namespace carillon::temporal {
namespace {

namespace json = boost::json;

constexpr std::size_t request_id_size_max = 1'000;
constexpr std::size_t matching_count_max = 1'000;
constexpr std::size_t token_size = 8;
/// So often a change that somebody else came between is made again.
constexpr int update_attempts = 5;

using Change = std::function<Outcome<std::string>(const WriteTerms&)>;

/// What a request is known by: requests with other ids, about other schedules or of other methods are others.
Outcome<std::string> once(MethodCall& call, std::string_view method, const std::string& name_space,
                          const std::string& id, const std::string& request_id, const Change& change) {
  if (request_id.empty()) return change({});
  const std::string name = sha256_hex(fmt::format("temporal\n{}\n{}\n{}\n{}", method, name_space, id, request_id));
  const auto key = TRY(told(IdempotentRequests::key_of(call.caller, name, name)));
  Outcome<std::string> answer;
  const auto before = TRY(told(call.application.requests().perform_once(key, [&]() -> std::optional<std::string> {
    answer = change({.key = key});
    if (!answer) return std::nullopt;
    return to_base64(*answer);
  })));
  if (!before) return answer;
  return before->answer ? from_base64(*before->answer).value_or("") : std::string{};
}

/// A name for people, where the id is not it.
void set_names(json::object& document, const std::string& own, const std::string& foreign) {
  document["id"] = own;
  if (own == foreign) return;
  document["temporal"].get_object()["id"] = foreign;
  const bool is_shown = foreign.size() <= name_length_max && !has_hidden_character(foreign) &&
                        foreign.find_first_not_of(' ') != std::string::npos;
  if (is_shown) document["name"] = foreign;
}

/// Under the schedule's own id, or if another schedule has that under its spare one.
Outcome<ScheduleAnswer> create_named(MethodCall& call, json::object document, const std::string& name_space,
                                     const std::string& foreign, const WriteTerms& terms) {
  for (const std::string& own : {natural_id(foreign), spare_id(foreign)}) {
    json::object named = document;
    set_names(named, own, foreign);
    auto created = call.application.perform(call.caller, operation_of(OperationId::create_schedule), [&] {
      return call.application.schedules().create(call.caller, named, terms, name_space);
    });
    if (created) return *std::move(created);
    if (created.error().kind != Refusal::Kind::exists) {
      const bool is_zone = std::ranges::any_of(created.error().errors,
                                               [](const Problem& problem) { return problem.code == "unknown-zone"; });
      if (is_zone) {
        const json::value* zone = document["spec"].get_object().if_contains("timezone");
        return invalid_spec(fmt::format("unknown time zone {}", std::string_view{zone->get_string()}));
      }
      return std::unexpected(status_of(created.error()));
    }
    // Somebody was faster, with this one.
    if (find_schedule(call, name_space, foreign)) break;
  }
  return already_registered(foreign);
}

/// The policy that was translated, which is always there.
OverlapPolicy overlap_in(const json::object& document) {
  const auto word = document.at("policies").at("overlap").as_string();
  return parse_word<OverlapPolicy>(std::string_view{word}).value_or(OverlapPolicy::skip);
}

/// The state that its client wants.
Outcome<> set_paused(MethodCall& call, const ScheduleRecord& record, const TranslatedSchedule& wanted) {
  if (wanted.is_paused) {
    const bool says_more = !is_shown_paused(record.view.state) ||
                           (!wanted.notes.empty() && (!record.pause || record.pause->reason != wanted.notes));
    return says_more ? pause_schedule(call, record, wanted.notes, {}) : Outcome<>{};
  }
  return is_shown_paused(record.view.state) ? unpause_schedule(call, record, {}, {}) : Outcome<>{};
}

/// What is done with the creation, in one write: the state that its client wants, and its patch.
Outcome<> set_on_create(MethodCall& call, TranslatedSchedule& made, const schedule_pb::SchedulePatch& patch) {
  OnCreate first;
  std::string notes = patch.unpause().empty() ? patch.pause() : patch.unpause();
  if (notes.empty()) notes = made.notes;
  made.document["notes"] = notes;
  if (patch.unpause().empty() && (made.is_paused || !patch.pause().empty()))
    first.pause = {.reason = notes.size() <= pause_reason_length_max ? notes : std::string{}, .until = {}};
  const OverlapPolicy own = overlap_in(made.document);
  const auto policy_of = [&](enums_pb::ScheduleOverlapPolicy wanted) {
    return wanted == enums_pb::SCHEDULE_OVERLAP_POLICY_UNSPECIFIED ? own : overlap_of(wanted);
  };
  if (patch.has_trigger_immediately()) {
    TRY(told(call.application.count_start(call.caller, operation_of(OperationId::trigger_schedule))));
    const auto& wanted = patch.trigger_immediately();
    first.trigger = {.overlap = policy_of(wanted.overlap_policy()), .nominal = {}, .payload = {}};
    if (wanted.has_scheduled_time()) first.trigger->nominal = instant_of(wanted.scheduled_time());
  }
  for (const schedule_pb::BackfillRequest& wanted : patch.backfill_request())
    if (auto options = backfill_options(wanted, policy_of(wanted.overlap_policy())))
      first.backfills.push_back(*std::move(options));
  if (first != OnCreate{}) made.document["onCreate"] = write_on_create(first);
  return {};
}

Outcome<std::string> create_from(MethodCall& call, const service_pb::CreateScheduleRequest& request,
                                 const WriteTerms& terms) {
  if (find_schedule(call, request.namespace_(), request.schedule_id()))
    return already_registered(request.schedule_id());
  ScheduleRequest wanted{.schedule = request.schedule()};
  if (request.has_memo()) wanted.memo = request.memo();
  if (request.has_search_attributes()) wanted.search_attributes = request.search_attributes();
  TranslatedSchedule made = TRY(translate(wanted, call.settings, request.namespace_(), nullptr));
  TRY(set_on_create(call, made, request.initial_patch()));
  // One that was deleted a moment ago is another one.
  WriteTerms anew = terms;
  anew.continuing = Continuing::never;
  const ScheduleAnswer created =
      TRY(create_named(call, made.document, request.namespace_(), request.schedule_id(), anew));
  service_pb::CreateScheduleResponse response;
  response.set_conflict_token(conflict_token(created.record.view.state));
  return response.SerializeAsString();
}

Outcome<> check_token(const std::string& token, const ScheduleState& state) {
  if (token.empty()) return {};
  if (token.size() == token_size && token == conflict_token(state)) return {};
  return failed(grpc::StatusCode::failed_precondition, "mismatched conflict token");
}

std::unexpected<grpc::Status> unreadable_definition() {
  return failed(grpc::StatusCode::internal, "cannot read the stored definition");
}

Outcome<ScheduleDocument> readable(const ScheduleRecord& record) {
  auto document = document_of(record);
  if (!document) return unreadable_definition();
  return *std::move(document);
}

struct Updated {
  ScheduleRecord record;
  TranslatedSchedule wanted;
};

/// None: somebody else has changed it meanwhile.
Outcome<std::optional<Updated>> try_update(MethodCall& call, const service_pb::UpdateScheduleRequest& request,
                                           const WriteTerms& terms) {
  ScheduleRecord before = TRY(find_schedule(call, request.namespace_(), request.schedule_id()));
  TRY(check_token(request.conflict_token(), before.view.state));
  const ScheduleDocument document = TRY(readable(before));
  const PresentSchedule present{.document = document,
                                .described = described_schedule(document, before.view.state.created_at),
                                .start_count = counted(before.view).starts};
  ScheduleRequest wanted{.schedule = request.schedule()};
  if (request.has_memo()) wanted.memo = request.memo();
  if (request.has_search_attributes()) wanted.search_attributes = request.search_attributes();
  TranslatedSchedule made = TRY(translate(wanted, call.settings, request.namespace_(), &present));
  made.document["temporal"].get_object()["updatedAt"] = to_text(call.application.clock().now());
  made.document["enabled"] = before.view.state.status != ScheduleStatus::disabled;
  WriteTerms own = terms;
  own.when.any_of = {revision_tag(before.view.state)};
  auto put = call.application.perform(call.caller, operation_of(OperationId::put_schedule), [&] {
    return call.application.schedules().put(call.caller, name_of(before), made.document, own);
  });
  if (!put && put.error().kind == Refusal::Kind::stale) return std::nullopt;
  if (!put) return std::unexpected(status_of(put.error()));
  return Updated{.record = std::move(put->answer.record), .wanted = std::move(made)};
}

Outcome<std::string> update_from(MethodCall& call, const service_pb::UpdateScheduleRequest& request,
                                 const WriteTerms& terms) {
  for (int attempt = 0; attempt < update_attempts; ++attempt) {
    const auto updated = TRY(try_update(call, request, terms));
    if (!updated && !request.conflict_token().empty())
      return failed(grpc::StatusCode::failed_precondition, "mismatched conflict token");
    if (!updated) continue;
    TRY(set_paused(call, updated->record, updated->wanted));
    return service_pb::UpdateScheduleResponse{}.SerializeAsString();
  }
  return failed(grpc::StatusCode::aborted, "the schedule is being changed by others; try again");
}

Outcome<> check_request_id(const std::string& id) {
  if (id.size() > request_id_size_max) return invalid("RequestId length exceeds limit.");
  return {};
}

}  // namespace

Outcome<std::string> create_schedule(MethodCall& call) {
  const auto request = TRY(request_of<service_pb::CreateScheduleRequest>(call));
  TRY(check_namespace(call, request.namespace_()));
  TRY(check_schedule_id(request.schedule_id()));
  if (request.request_id().empty()) return invalid("RequestId is not set on request.");
  TRY(check_request_id(request.request_id()));
  if (request.has_initial_patch()) TRY(check_patch(request.initial_patch()));
  const std::string answer = TRY(once(call, "create", request.namespace_(), request.schedule_id(), request.request_id(),
                                      [&](const WriteTerms& terms) { return create_from(call, request, terms); }));
  if (!answer.empty()) return answer;
  // It was made before, and its answer could not be kept.
  const ScheduleRecord record = TRY(find_schedule(call, request.namespace_(), request.schedule_id()));
  service_pb::CreateScheduleResponse response;
  response.set_conflict_token(conflict_token(record.view.state));
  return response.SerializeAsString();
}

Outcome<std::string> describe_schedule(MethodCall& call) {
  const auto request = TRY(request_of<service_pb::DescribeScheduleRequest>(call));
  ScheduleRecord record = TRY(find_schedule(call, request.namespace_(), request.schedule_id()));
  const auto description = call.descriptions.of(record);
  if (!description) return unreadable_definition();
  const ScheduleAnswer answer = TRY(told(call.application.schedules().answer(std::move(record))));
  call.valid_until = answer.upcoming.empty() ? instant_max : answer.upcoming.front().nominal;
  return describe_response(answer, *description).SerializeAsString();
}

Outcome<std::string> update_schedule(MethodCall& call) {
  const auto request = TRY(request_of<service_pb::UpdateScheduleRequest>(call));
  TRY(check_namespace(call, request.namespace_()));
  TRY(check_schedule_id(request.schedule_id()));
  TRY(check_request_id(request.request_id()));
  return once(call, "update", request.namespace_(), request.schedule_id(), request.request_id(),
              [&](const WriteTerms& terms) { return update_from(call, request, terms); });
}

Outcome<std::string> patch_schedule(MethodCall& call) {
  const auto request = TRY(request_of<service_pb::PatchScheduleRequest>(call));
  TRY(check_namespace(call, request.namespace_()));
  TRY(check_schedule_id(request.schedule_id()));
  TRY(check_request_id(request.request_id()));
  if (!request.has_patch()) return invalid("Patch is not set on request.");
  TRY(check_patch(request.patch()));
  return once(call, "patch", request.namespace_(), request.schedule_id(), request.request_id(),
              [&](const WriteTerms& terms) -> Outcome<std::string> {
                const auto record = TRY(find_schedule(call, request.namespace_(), request.schedule_id()));
                TRY(apply_patch(call, record, request.patch(), terms));
                return service_pb::PatchScheduleResponse{}.SerializeAsString();
              });
}

Outcome<std::string> delete_schedule(MethodCall& call) {
  const auto request = TRY(request_of<service_pb::DeleteScheduleRequest>(call));
  const ScheduleRecord record = TRY(find_schedule(call, request.namespace_(), request.schedule_id()));
  TRY(call.perform(OperationId::delete_schedule,
                   [&] { return call.application.schedules().remove(call.caller, name_of(record), {}); }));
  return service_pb::DeleteScheduleResponse{}.SerializeAsString();
}

Outcome<std::string> list_matching_times(MethodCall& call) {
  const auto request = TRY(request_of<service_pb::ListScheduleMatchingTimesRequest>(call));
  const ScheduleRecord record = TRY(find_schedule(call, request.namespace_(), request.schedule_id()));
  if (!request.has_start_time() || !request.has_end_time()) return query_failed();
  const auto times = TRY(call.perform(OperationId::list_next_runs, [&] {
    return call.application.queries().matching_times(call.caller, name_of(record), instant_of(request.start_time()),
                                                     instant_of(request.end_time()), matching_count_max);
  }));
  service_pb::ListScheduleMatchingTimesResponse response;
  for (const PlannedStart& start : times) *response.add_start_time() = timestamp_of(start.due);
  return response.SerializeAsString();
}

}  // namespace carillon::temporal
