#include "engine/step.hpp"

#include "base/assertion.hpp"
#include "engine/step_context.hpp"

#include <limits>
#include <type_traits>
#include <utility>

namespace carillon {
namespace {

// A deleted schedule has commands of users no more; its last runs may still be cancelled and counted.
template <typename Kind>
constexpr bool is_for_tombstones =
    std::is_same_v<Kind, CancelRequested> || std::is_same_v<Kind, BecameDue> || std::is_same_v<Kind, ZoneRulesChanged>;

const Definition& definition_after(const Definition& definition, const Event& event) {
  const auto* edited = std::get_if<Edited>(&event);
  return edited ? *edited->next : definition;
}

}  // namespace

StepContext::StepContext(const Definition& definition_, const ScheduleView& view_, Instant now_,
                         std::size_t decisions_max_)
    : definition{definition_}, view{view_}, now{now_}, decisions_max{decisions_max_} {
  out.next = view.state;
  ++out.next.version;
  out.decided_under = definition.revision;
  out.decided_at = now;
  for (const LiveRun& run : view.live) {
    if (is_waiting(run)) {
      waiting.push_back({.seq = run.seq,
                         .nominal = run.nominal,
                         .due = run.due,
                         .source = run.source,
                         .overlap = run.overlap,
                         .is_held_back = run.is_held_back,
                         .backfill = run.backfill});
    } else if (is_open(run)) {
      ++open;
      slot_holders += run.holds_slot;
      automatic_open += is_automatic(run.source);
    }
  }
}

bool StepContext::is_held(Source source) const {
  if (hold == Hold::everybody) return true;
  return is_automatic(source) && (hold == Hold::automatic || out.next.status == ScheduleStatus::paused);
}

Result<Transition> step(const Definition& definition, const ScheduleView& view, const Event& event, Instant now) {
  CARILLON_ASSERT(view.state.version == 0 || definition.revision == view.state.revision);
  const bool is_bounded = std::holds_alternative<BecameDue>(event);
  StepContext deciding{definition, view, now,
                       is_bounded ? decisions_per_step_max : std::numeric_limits<std::size_t>::max()};
  const auto outcome = std::visit(
      [&]<typename Kind>(const Kind& kind) -> Result<> {
        if (view.state.deleted_at && !is_for_tombstones<Kind>)
          return fail(ErrorCode::not_found, "schedule {} has been deleted", definition.key.id.text());
        return on(deciding, kind);
      },
      event);
  if (!outcome) return std::unexpected(outcome.error());
  conclude(deciding, definition_after(definition, event));
  return std::move(deciding.out);
}

}  // namespace carillon
