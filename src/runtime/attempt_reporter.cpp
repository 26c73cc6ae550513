#include "runtime/attempt_reporter.hpp"

#include "runtime/unreadable_definitions.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace carillon {
namespace {

constexpr Duration report_pause = std::chrono::milliseconds{500};

constexpr auto has_ended = [](const auto& entry) { return entry.second.end.has_value(); };

}  // namespace

AttemptReporter::AttemptReporter(RunningAttempts& attempts, AttemptSupervisor& supervisor, EditionSource& editions,
                                 Clock& clock, Log& log)
    : attempts_{attempts}, supervisor_{supervisor}, editions_{editions}, clock_{clock}, log_{log} {}

void AttemptReporter::report(Duration now) {
  if (next_try_ && now < *next_try_) return;
  std::vector<Finish> finishes;
  std::vector<AttemptKey> keys;
  {
    auto table = attempts_.access();
    const auto count = static_cast<std::size_t>(std::ranges::count_if(*table, has_ended));
    finishes.reserve(count);
    keys.reserve(count);
    for (const auto& [key, attempt] : *table) {
      if (!attempt.end) continue;
      finishes.push_back({.run = attempt.claimed.row, .end = *attempt.end});
      keys.push_back(key);
    }
  }
  if (finishes.empty()) return;
  RunFinisher& finisher = editions_.context().finisher;
  const auto told = finisher.finish(finishes);
  if (!told) {
    // Told again until the store has it: whoever gave up here would keep the runs for ever with its lease.
    log_.warn("results of runs cannot be written", {{"count", finishes.size()}, {"error", told.error().message}});
    next_try_ = clock_.since_boot() + report_pause;
    return;
  }
  next_try_.reset();
  log_unreadable_definitions(log_, finisher);
  log_late(keys, *told);
  supervisor_.forget_recorded(keys);
}

void AttemptReporter::log_late(std::span<const AttemptKey> keys, std::span<const RunWritten> outcomes) {
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (outcomes[i] == RunWritten::refused)
      log_.warn("result came too late",
                {{"run", static_cast<std::int64_t>(keys[i].run)}, {"attempt", keys[i].attempt}});
}

std::optional<Duration> AttemptReporter::next_tick(Duration now) {
  if (next_try_) return next_try_;
  auto table = attempts_.access();
  return std::ranges::any_of(*table, has_ended) ? std::optional{now} : std::nullopt;
}

}  // namespace carillon
