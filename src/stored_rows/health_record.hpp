#pragma once

#include "base/error.hpp"
#include "ports/clock.hpp"
#include "ports/store_health.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>

namespace carillon::rows {

/// What the calls of a store have found out about its file. Each part of the work fails and recovers by itself: a
/// heartbeat that can be written does not mean that decisions can be read.
class HealthRecord final : public StoreHealth {
 public:
  enum class Part { writing, deciding, claiming };

  explicit HealthRecord(Clock& clock) : clock_{clock} {}

  /// Notes how work has ended. An error that is not the store's fault says nothing about it.
  void note(Part part, const Result<>& outcome);
  /// Notes damage that was met anywhere. It is not forgotten.
  void note_damage(const Error& error);

  [[nodiscard]] std::optional<StoreFailure> failure() const override;
  [[nodiscard]] bool is_damaged() const { return is_damaged_; }

  /// Called after a failure has begun, become another or ended; not for each call that fails.
  std::function<void(const std::optional<StoreFailure>&)> on_change;

 private:
  void set(std::optional<StoreFailure>& place, std::optional<StoreFailure> failure);
  [[nodiscard]] std::optional<StoreFailure> worst() const;

  Clock& clock_;
  std::atomic<bool> has_failure_ = false;  // of any part: success costs no lock
  std::atomic<bool> is_damaged_ = false;
  mutable std::mutex mutex_;
  // Guarded.
  std::array<std::optional<StoreFailure>, 3> failures_;  // by Part
  std::optional<StoreFailure> damage_;
};

}  // namespace carillon::rows
