#pragma once

#include "simulation/simulation.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace carillon::simulation {

/// What many worlds came to.
struct Summary {
  struct Failure {
    std::uint64_t seed = 0;
    Violation violation;
    std::string shrunken;  // plan and command that repeats it; empty if it was not shrunk
  };
  std::int64_t seeds = 0;
  Duration simulated{};
  std::int64_t writes = 0;
  std::int64_t decisions = 0;
  std::int64_t launches = 0;
  Tally tally;
  std::map<std::string, std::int64_t> facts;
  std::vector<Failure> failures;

  void add(std::uint64_t seed, const Outcome& outcome);
};

/// For the script that adds up several processes.
[[nodiscard]] std::string to_json(const Summary& summary);

}  // namespace carillon::simulation
