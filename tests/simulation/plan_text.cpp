#include "base/duration_text.hpp"
#include "simulation/plan.hpp"

#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

namespace carillon::simulation {
namespace {

constexpr std::array<std::string_view, 14> call_words{
    "create",   "edit",           "pause",           "resume",          "enable",     "disable", "trigger",
    "backfill", "backfill_pause", "backfill_resume", "backfill_cancel", "cancel_run", "reset",   "delete"};
constexpr std::array<std::string_view, fault_kind_count> fault_words{
    "crash",       "pause",      "slow_calls",  "partition",   "failing_calls",    "lost_answers",         "store_full",
    "poison",      "clock_step", "suspend",     "zone_change", "slow_completions", "repeated_completions", "disk_full",
    "disk_errors", "power_loss", "late_writes", "locked_rows", "ended_backends"};

std::string signed_text(Duration duration) {
  return duration < Duration{0} ? "-" + to_text(-duration) : to_text(duration);
}

std::string details_of(const PlannedCall& call) {
  if (call.document) {
    const auto document = write_schedule(*call.document);
    return fmt::format("spec {} action {} policies {}", boost::json::serialize(document.at("spec")),
                       kind_of(call.document->action), boost::json::serialize(document.at("policies")));
  }
  if (call.kind == CallKind::pause) return call.length ? "for " + signed_text(*call.length) : "until resumed";
  if (call.kind == CallKind::trigger) return fmt::format("overlap {}", to_text(call.overlap));
  if (call.kind != CallKind::backfill) return {};
  return fmt::format("from {} ago, {} long, {}, reprocess {}, concurrency {}{}", signed_text(call.reach),
                     signed_text(call.span), to_text(call.order), to_text(call.reprocess), call.concurrency,
                     call.is_exclusive ? ", exclusive" : "");
}

std::string text_of(const Fault& fault) {
  std::string text = fmt::format("  +{} {} #{}", signed_text(fault.at), to_text(fault.kind), fault.number);
  const bool has_actor = fault.kind <= FaultKind::lost_answers || fault.kind == FaultKind::slow_completions ||
                         fault.kind == FaultKind::repeated_completions || fault.kind == FaultKind::late_writes ||
                         fault.kind == FaultKind::locked_rows;
  if (has_actor) text += fmt::format(" actor {}", fault.actor);
  if (fault.kind == FaultKind::poison) text += " schedule " + fault.schedule;
  if (fault.length > Duration{0}) text += " for " + signed_text(fault.length);
  if (fault.rate > 0) text += fmt::format(" rate {}", fault.rate);
  if (fault.size != Duration{0}) text += " size " + signed_text(fault.size);
  return text + "\n";
}

}  // namespace

std::string_view to_text(CallKind kind) { return call_words[static_cast<std::size_t>(kind)]; }
std::string_view to_text(FaultKind kind) { return fault_words[static_cast<std::size_t>(kind)]; }

std::string to_text(const Plan& plan) {
  std::string text = fmt::format("seed {}: begins {}, faults for {}, then healed for {}\n", plan.seed,
                                 to_text(plan.begin), signed_text(plan.troubled), signed_text(plan.healed));
  for (const PlannedActor& actor : plan.actors)
    text += fmt::format("  {} {}: lease {}, capacity {}{}, queues {}\n", actor.is_server ? "server" : "worker",
                        actor.number, signed_text(actor.lease), actor.capacity,
                        actor.claims_in_commit ? ", claims in commit" : "", fmt::join(actor.queues, " "));
  for (const PlannedSchedule& schedule : plan.schedules)
    text +=
        fmt::format("  schedule {}: runs up to {}, fail {}, stubborn {}\n", schedule.id,
                    signed_text(schedule.habit.length_max), schedule.habit.failure_rate, schedule.habit.stubborn_rate);
  for (const PlannedCall& call : plan.calls)
    text += fmt::format("  +{} call {} {} {} {}\n", signed_text(call.at), call.number, to_text(call.kind),
                        call.schedule, details_of(call));
  for (const Fault& fault : plan.faults) text += text_of(fault);
  return text;
}

}  // namespace carillon::simulation
