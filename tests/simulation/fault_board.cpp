#include "simulation/fault_board.hpp"

#include "simulation/draw.hpp"

#include <algorithm>

namespace carillon::simulation {

void FaultBoard::begin(const Fault& fault) {
  active_.push_back(fault);
  last_change_ = world_.now();
}

void FaultBoard::end(int number) {
  std::erase_if(active_, [&](const Fault& fault) { return fault.number == number; });
  last_change_ = world_.now();
}

void FaultBoard::end_standing() {
  --standing_count_;
  last_change_ = world_.now();
}

void FaultBoard::heal() {
  active_.clear();
  last_change_ = world_.now();
}

std::optional<Instant> FaultBoard::calm_since() const {
  if (!active_.empty() || standing_count_ > 0) return std::nullopt;
  return last_change_;
}

bool FaultBoard::is_poisoned(const std::string& schedule) const {
  return std::ranges::any_of(
      active_, [&](const Fault& fault) { return fault.kind == FaultKind::poison && fault.schedule == schedule; });
}

bool FaultBoard::strikes(FaultKind kind, int actor, std::uint64_t key) const {
  return std::ranges::any_of(active_, [&](const Fault& fault) {
    return fault.kind == kind && fault.actor == actor && Draw{key_of(seed_, fault.number, key)}.chance(fault.rate);
  });
}

void FaultBoard::apply(const Fault& fault, const Actor& actor, std::int64_t call, const CallInfo& info, Fate& fate) {
  const bool is_mine = fault.actor == actor.number();
  const bool is_write = info.kind != CallInfo::Kind::read;
  Draw draw{key_of(seed_, fault.number, actor.number(), actor.life(), call)};
  switch (fault.kind) {
    case FaultKind::crash:
      // One of its next calls, before or after it has taken effect.
      if (is_mine && draw.chance(info.kind == CallInfo::Kind::commit ? 0.5 : 0.1))
        fate.end = draw.chance(0.5) ? Fate::End::crash_before : Fate::End::crash_after;
      return;
    case FaultKind::pause:
    case FaultKind::slow_calls:
      // The time between reading and committing is where races live.
      if (!is_mine || !draw.chance(info.kind == CallInfo::Kind::commit ? 3 * fault.rate : fault.rate)) return;
      (draw.chance(0.5) ? fate.pause_before : fate.pause_after) += draw.duration(Duration{0}, fault.size);
      return;
    case FaultKind::partition:
      if (is_mine) fate.end = Fate::End::not_executed;
      return;
    case FaultKind::failing_calls:
      if (is_mine && draw.chance(fault.rate)) fate.end = Fate::End::not_executed;
      return;
    case FaultKind::lost_answers:
      // ScheduleCommands are few among the decisions, and only they are asked for again.
      if (is_mine && draw.chance(info.is_command ? std::max(fault.rate, 0.5) : fault.rate))
        fate.end = Fate::End::answer_lost;
      return;
    case FaultKind::power_loss: fate.end = Fate::End::not_executed; return;
    case FaultKind::late_writes:
      if (!is_mine || !is_write || !draw.chance(info.is_command ? std::max(fault.rate, 0.5) : fault.rate)) return;
      fate.end = Fate::End::late;
      fate.late_by = draw.duration(Duration{0}, fault.size);
      return;
    case FaultKind::locked_rows:
      if (is_mine && draw.chance(fault.rate)) fate.is_without_rows = true;
      return;
    case FaultKind::ended_backends:
      fate.end = is_write && draw.chance(0.5) ? Fate::End::answer_lost : Fate::End::not_executed;
      return;
    case FaultKind::store_full:
      if (is_write) fate.end = Fate::End::not_executed;
      return;
    case FaultKind::poison:
      if (info.is_poisoned) fate.end = Fate::End::refused;
      return;
    default: return;
  }
}

Fate FaultBoard::fate_of(const Actor& actor, std::int64_t call, const CallInfo& info) {
  Fate fate;
  for (const Fault& fault : active_) apply(fault, actor, call, info, fate);
  if (info.kind != CallInfo::Kind::commit) return fate;
  switch (fate.end) {
    case Fate::End::crash_before: tally_.add(Sometimes::crash_before_commit); break;
    case Fate::End::crash_after: tally_.add(Sometimes::crash_after_commit); break;
    case Fate::End::not_executed: tally_.add(Sometimes::unknown_commit_was_not_written); break;
    case Fate::End::answer_lost:
      tally_.add(info.is_command ? Sometimes::unknown_wish_was_granted : Sometimes::unknown_commit_was_written);
      break;
    case Fate::End::refused:
      if (info.has_others) tally_.add(Sometimes::batch_bisected);
      break;
    default: break;
  }
  if (fate.pause_before + fate.pause_after > Duration{0}) tally_.add(Sometimes::paused_inside_commit);
  return fate;
}

}  // namespace carillon::simulation
