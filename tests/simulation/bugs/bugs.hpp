#pragma once

#include "simulation/passing_store.hpp"
#include "simulation/plan.hpp"

#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace carillon::simulation {

/// A planted bug: a store that does one thing wrong, as a mistake in the engine or in a store would look from outside.
struct Bug {
  std::string_view name;
  std::string_view what;
  std::unique_ptr<PassingStore> (*make)(Ports below);
  /// Before the servers, as a mistake of theirs, or right before the store, so that what is recorded is wrong.
  enum class Place { before_servers, before_store } place = Place::before_servers;
};

[[nodiscard]] std::span<const Bug> deciding_bugs();
[[nodiscard]] std::span<const Bug> committing_bugs();
[[nodiscard]] std::span<const Bug> running_bugs();
/// Only in worlds on files.
[[nodiscard]] std::span<const Bug> disk_bugs();

/// Those that are looked for in worlds on this kind of store.
[[nodiscard]] std::vector<Bug> bugs_for(StoreKind store);
/// None if there is no bug of that name.
[[nodiscard]] const Bug* find_bug(std::string_view name);

}  // namespace carillon::simulation
