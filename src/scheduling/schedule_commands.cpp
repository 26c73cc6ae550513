#include "scheduling/schedule_commands.hpp"

#include <utility>

namespace carillon {

ScheduleCommands::ScheduleCommands(ScheduleStore& store, RunQueue& queue, SharedDefinitions& definitions,
                                   std::function<void()> on_orders, ClockCheck check_clock,
                                   std::function<std::int64_t()> server_number)
    : store_{store},
      queue_{queue},
      definitions_{definitions},
      on_orders_{std::move(on_orders)},
      check_clock_{std::move(check_clock)},
      server_number_{std::move(server_number)} {}

template <typename Work>
auto ScheduleCommands::with_context(Work work) {
  const auto names = definitions_.zones().names();
  std::unique_ptr<EditionContext> context;
  {
    const std::scoped_lock lock{mutex_};
    if (std::exchange(names_, names) != names) idle_.clear();
    if (!idle_.empty()) {
      context = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (!context)
    context = std::make_unique<EditionContext>(store_, queue_, definitions_, server_number_(), check_clock_);
  auto outcome = work(*context);
  const std::scoped_lock lock{mutex_};
  if (names_ == names) idle_.push_back(std::move(context));
  return outcome;
}

template <typename Work>
Result<CommandResult> ScheduleCommands::execute(Work work) {
  auto changed = with_context([&](EditionContext& context) { return work(context.scheduling); });
  if (changed && changed->has_orders) on_orders_();
  return changed;
}

Result<CommandResult> ScheduleCommands::create(const PreparedDefinition& definition, const std::string& by,
                                               const CommandOptions& terms) {
  return execute([&](Scheduling& scheduling) {
    return scheduling.create(definition, by, terms.request.value_or(unique_number()), terms.attached, terms.continuing);
  });
}

Result<CommandResult> ScheduleCommands::edit(const PreparedDefinition& definition, const std::string& by,
                                             const CommandOptions& terms) {
  return execute([&](Scheduling& scheduling) {
    return scheduling.edit(definition, by, terms.request.value_or(unique_number()), terms.if_revision, terms.attached);
  });
}

Result<CommandResult> ScheduleCommands::change(const ScheduleKey& key, const Event& event,
                                               const CommandOptions& terms) {
  return execute([&](Scheduling& scheduling) {
    return scheduling.change(key, event, terms.request.value_or(unique_number()), terms.if_revision, terms.attached);
  });
}

Result<DryRunOutcome> ScheduleCommands::try_create(const PreparedDefinition& definition, const std::string& by) {
  return with_context([&](EditionContext& context) { return context.scheduling.try_create(definition, by); });
}

Result<DryRunOutcome> ScheduleCommands::try_edit(const PreparedDefinition& definition, const std::string& by,
                                                 std::optional<KnownRevision> if_revision) {
  return with_context(
      [&](EditionContext& context) { return context.scheduling.try_edit(definition, by, if_revision); });
}

Result<DryRunOutcome> ScheduleCommands::try_change(const ScheduleKey& key, const Event& event,
                                                   std::optional<KnownRevision> if_revision) {
  return with_context([&](EditionContext& context) { return context.scheduling.try_change(key, event, if_revision); });
}

Result<std::size_t> ScheduleCommands::adopt_zone_rules() {
  return with_context([](EditionContext& context) { return context.scheduling.adopt_zone_rules(); });
}

Result<ScheduleCommands::Applied> ScheduleCommands::apply(const PreparedDefinition& definition, const std::string& by,
                                                          const CommandMetadata* attached) {
  const ScheduleKey key{definition.document().name_space, definition.document().id};
  const ScheduleLookup found = TRY(store_.find(key));
  if (!found.view || found.view->state.deleted_at) {
    TRY(create(definition, by, {.attached = attached}));
    return Applied::created;
  }
  const ScheduleState& state = found.view->state;
  const auto stored = TRY(store_.read_definitions(std::vector{DefinitionName{state.uid, state.revision}}));
  if (stored.front() && stored.front()->document == definition.text()) return Applied::unchanged;
  TRY(edit(definition, by, {.if_revision = KnownRevision{state}, .attached = attached}));
  return Applied::updated;
}

}  // namespace carillon
