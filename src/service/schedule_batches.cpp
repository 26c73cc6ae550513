#include "service/schedule_batches.hpp"

#include "base/assertion.hpp"
#include "base/crypto.hpp"
#include "service/admission.hpp"

#include <fmt/format.h>

#include <utility>

namespace carillon {
namespace {

constexpr std::size_t batch_page_size = 500;

// Each item has a key of its own, made from the batch's.
WriteTerms terms_of_item(const WriteTerms& terms, const ScheduleName& item) {
  WriteTerms own{.when = terms.when};
  if (terms.key)
    own.key = IdempotencyKey{
        .key = sha256_hex(fmt::format("{}\n{}\n{}", terms.key->key, item.name_space.value_or(""), item.id)),
        .fingerprint = terms.key->fingerprint};
  return own;
}

/// What was previewed must still be there when it is changed.
WriteTerms with_known_revision(WriteTerms terms, const BatchTarget& target) {
  if (target.record) terms.when.any_of = std::vector{revision_tag(target.record->view.state)};
  return terms;
}

BatchOperation operation_in(const ScheduleBatch& batch) {
  return {.id = batch.operation, .patch = batch.operation == OperationId::patch_schedule ? &batch.patch : nullptr};
}

}  // namespace

Served<std::vector<ScheduleName>> ScheduleBatches::names_by(const Caller& caller, const ScheduleFilter& filter) {
  std::vector<ScheduleName> names;
  ScheduleListRequest request{.filter = filter, .after = {}, .count_max = batch_page_size};
  for (;;) {
    const ScheduleNamePage page = TRY(schedules_.list_names(caller, request));
    for (const ScheduleKey& key : page.items)
      names.push_back({.id = key.id.text(), .name_space = key.name_space.text()});
    if (names.size() > batch_count_max)
      return refuse(Refusal::Kind::too_large, "too_large", "more than {} schedules match: use a narrower filter",
                    batch_count_max);
    if (!page.next) return names;
    request.after = page.next;
  }
}

Served<std::vector<ScheduleName>> ScheduleBatches::names_of(const Caller& caller, ScheduleBatch& request) {
  // One batch is about one namespace, as one request about a single schedule is.
  const std::optional<std::string>& named = request.filter ? request.filter->name_space : request.name_space;
  const std::string own = TRY(caller.namespace_of(named)).text();
  if (request.filter) {
    request.filter->name_space = own;
    return names_by(caller, *request.filter);
  }
  std::vector<ScheduleName> names;
  names.reserve(request.ids.size());
  for (std::string& id : request.ids) names.push_back({.id = std::move(id), .name_space = own});
  return names;
}

Served<> ScheduleBatches::change(const Caller& caller, const ScheduleBatch& batch, const ScheduleName& name,
                                 const WriteTerms& terms) {
  switch (batch.operation) {
    case OperationId::delete_schedule: return schedules_.remove(caller, name, terms);
    case OperationId::pause_schedule: TRY(schedules_.pause(caller, name, {}, terms)); return {};
    case OperationId::resume_schedule: TRY(schedules_.resume(caller, name, terms)); return {};
    case OperationId::enable_schedule: TRY(schedules_.enable(caller, name, terms)); return {};
    case OperationId::disable_schedule: TRY(schedules_.disable(caller, name, terms)); return {};
    case OperationId::reset_schedule: TRY(schedules_.reset(caller, name, terms)); return {};
    case OperationId::trigger_schedule: TRY(schedules_.trigger(caller, name, {}, terms)); return {};
    case OperationId::cancel_schedule: TRY(schedules_.cancel(caller, name, terms)); return {};
    case OperationId::patch_schedule: TRY(schedules_.patch(caller, name, batch.patch, terms)); return {};
    default: break;
  }
  CARILLON_ASSERT(false);
  return {};
}

// What a batch that is sent again has done before counts as done.
Served<> ScheduleBatches::change_once(const Caller& caller, const ScheduleBatch& batch, const ScheduleName& name,
                                      const WriteTerms& terms) {
  auto done = change(caller, batch, name, terms_of_item(terms, name));
  if (!done && terms.key && done.error().kind == Refusal::Kind::in_progress) return {};
  return done;
}

Served<BatchAnswer> ScheduleBatches::perform(const Caller& caller, ScheduleBatch request, const WriteTerms& terms) {
  const Operation& operation = operation_of(request.operation);
  // Many need the same right as one.
  TRY(require(caller, operation));
  const auto names = TRY(names_of(caller, request));
  if (operation.starts_run && names.size() > batch_trigger_max)
    return refuse(Refusal::Kind::too_large, "too_large", "{} starts are more than the limit of {} per request",
                  names.size(), batch_trigger_max);
  BatchAnswer answer{.count = names.size()};
  const bool is_preview = request.is_preview || terms.is_dry_run;
  // Reading all of them is only worth it for those who want to know.
  const auto targets =
      is_preview || !request.token.empty() ? previews_.read(caller, names) : std::vector<BatchTarget>{};
  if (!is_preview && !request.token.empty() && BatchPreviews::token_of(operation_in(request), targets) != request.token)
    return refuse(Refusal::Kind::exists, "preview_stale",
                  "the schedules have changed since the preview: look at a new one, then send its token");
  if (is_preview) {
    answer.preview = previews_.make(caller, operation_in(request), targets);
    return answer;
  }
  if (operation.starts_run) TRY(starts_.count(caller, names.size()));
  answer.items.reserve(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const WriteTerms own = targets.empty() ? terms : with_known_revision(terms, targets[i]);
    answer.items.push_back({.name = names[i], .done = change_once(caller, request, names[i], own)});
  }
  return answer;
}

Served<> ScheduleBatches::remove(const Caller& caller, std::span<const std::string> ids,
                                 const std::optional<std::string>& name_space, const WriteTerms& terms) {
  const std::string own = TRY(caller.namespace_of(name_space)).text();
  if (terms.is_dry_run) return {};
  for (const std::string& id : ids) {
    const auto removed = schedules_.remove(caller, {.id = id, .name_space = own}, {});
    if (!removed && removed.error().kind != Refusal::Kind::not_found) return std::unexpected(removed.error());
  }
  return {};
}

}  // namespace carillon
