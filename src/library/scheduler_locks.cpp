#include "library/scheduler_failure.hpp"
#include "library/scheduler_parts.hpp"
#include "service/locks.hpp"

#include <utility>

namespace carillon {
namespace {

Expected<HeldLock> held_lock(const Served<LockAnswer>& answer) {
  if (!answer) return std::unexpected(failure_of(answer.error()));
  return HeldLock{.name = answer->name,
                  .token = answer->token,
                  .owner = answer->lock.owner,
                  .fence = answer->lock.fence,
                  .acquired_at = answer->lock.acquired_at,
                  .until = answer->lock.until};
}

}  // namespace

Expected<HeldLock> Scheduler::acquire_lock(std::string_view name, const LockOptions& options) {
  SchedulerCore& core = parts_->core;
  return held_lock(Locks{core.service}.acquire(core.caller, std::nullopt, std::string{name},
                                               {.ttl = options.ttl, .owner = options.owner, .token = options.token}));
}

Expected<HeldLock> Scheduler::extend_lock(std::string_view name, std::string_view token,
                                          std::chrono::microseconds ttl) {
  SchedulerCore& core = parts_->core;
  return held_lock(Locks{core.service}.extend(core.caller, std::nullopt, std::string{name}, std::string{token}, ttl));
}

Expected<> Scheduler::release_lock(std::string_view name, std::string_view token) {
  SchedulerCore& core = parts_->core;
  return to_expected(Locks{core.service}.release(core.caller, std::nullopt, std::string{name}, std::string{token}));
}

Expected<HeldLock> Scheduler::find_lock(std::string_view name) const {
  SchedulerCore& core = parts_->core;
  return held_lock(Locks{core.service}.find(core.caller, std::nullopt, std::string{name}));
}

}  // namespace carillon
