#pragma once

#include "simulation/passing_store.hpp"

#include <memory>
#include <vector>

namespace carillon::simulation {

/// Changes every transition on its way into the store.
template <auto spoil>
class SpoiledCommits final : public PassingStore {
 public:
  using PassingStore::PassingStore;

  Result<CommitResult> commit(const Batch& batch) override {
    std::vector<Transition> transitions{batch.transitions.begin(), batch.transitions.end()};
    for (Transition& transition : transitions) spoil(transition);
    Batch spoiled = batch;
    spoiled.transitions = transitions;
    return PassingStore::commit(spoiled);
  }
};

template <typename Store>
std::unique_ptr<PassingStore> make_store(Ports below) {
  return std::make_unique<Store>(below);
}

}  // namespace carillon::simulation
