#include "stored_rows/health_record.hpp"

#include <utility>

namespace carillon::rows {
namespace {

/// None: it is not the store's fault. Rows that contradict each other have no rule, and are damage all the same.
std::optional<StoreFailureKind> kind_of(const Error& error) {
  if (const auto kind = failure_kind_of(error.rule)) return kind;
  return error.code == ErrorCode::corrupt ? std::optional{StoreFailureKind::damaged} : std::nullopt;
}

}  // namespace

void HealthRecord::note(Part part, const Result<>& outcome) {
  if (outcome && !has_failure_) return;
  auto& place = failures_[static_cast<std::size_t>(part)];
  if (outcome) return set(place, std::nullopt);
  const auto kind = kind_of(outcome.error());
  if (!kind) return;
  if (outcome.error().rule == rule_of(StoreFailureKind::damaged)) note_damage(outcome.error());
  set(place, StoreFailure{.kind = *kind, .cause = outcome.error().message, .since = clock_.now()});
}

void HealthRecord::note_damage(const Error& error) {
  if (is_damaged_.exchange(true)) return;
  set(damage_, StoreFailure{.kind = StoreFailureKind::damaged, .cause = error.message, .since = clock_.now()});
}

void HealthRecord::set(std::optional<StoreFailure>& place, std::optional<StoreFailure> failure) {
  std::optional<StoreFailure> now;
  {
    const std::scoped_lock lock{mutex_};
    const auto before = worst();
    // The same failure has lasted since it began.
    if (failure && place && place->kind == failure->kind) failure->since = place->since;
    place = std::move(failure);
    now = worst();
    has_failure_ = now.has_value();
    const bool is_as_before = before.has_value() == now.has_value() && (!now || now->kind == before->kind);
    if (is_as_before) return;
  }
  if (on_change) on_change(now);
}

std::optional<StoreFailure> HealthRecord::worst() const {
  if (damage_) return damage_;
  for (const auto& failure : failures_)
    if (failure) return failure;
  return std::nullopt;
}

std::optional<StoreFailure> HealthRecord::failure() const {
  if (!has_failure_) return std::nullopt;
  const std::scoped_lock lock{mutex_};
  return worst();
}

}  // namespace carillon::rows
