#pragma once

#include "simulation/texts.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace carillon::simulation {

/// A broken promise: which one (as contract.md numbers them), of which schedule, and what was seen.
struct Violation {
  std::string invariant;
  std::string schedule;
  std::string message;
};

/// What was found, and how much was looked at: an invariant that never looked at anything proves nothing.
class Findings {
 public:
  void fact(std::string_view invariant, std::int64_t count = 1) { facts_[std::string{invariant}] += count; }
  template <typename... Args>
  void violation(std::string_view invariant, std::string_view schedule, fmt::format_string<Args...> format,
                 Args&&... args) {
    violations_.push_back(
        {std::string{invariant}, std::string{schedule}, fmt::format(format, std::forward<Args>(args)...)});
  }
  void add(const Findings& other) {
    violations_.insert(violations_.end(), other.violations_.begin(), other.violations_.end());
    for (const auto& [invariant, count] : other.facts_) facts_[invariant] += count;
  }

  [[nodiscard]] const std::vector<Violation>& violations() const { return violations_; }
  [[nodiscard]] const std::map<std::string, std::int64_t>& facts() const { return facts_; }

 private:
  std::vector<Violation> violations_;
  std::map<std::string, std::int64_t> facts_;
};

}  // namespace carillon::simulation
