#pragma once

#include "ports/log.hpp"
#include "simulation/sometimes.hpp"

#include <algorithm>
#include <string_view>

namespace carillon::simulation {

/// Counts the situations that the services of a process tell their log.
class TallyingLog final : public Log {
 public:
  explicit TallyingLog(Tally& tally) : tally_{tally} {}

  void write(LogLevel, std::string_view event, std::initializer_list<LogField> fields) override {
    if (event == "result came too late") tally_.add(Sometimes::late_result_refused);
    if (event == "clock stepped" && has(fields, "held")) tally_.add(Sometimes::clock_held);
    if (event == "schedules updated to new zone rules") tally_.add(Sometimes::zone_rules_adopted);
  }

 private:
  static bool has(std::initializer_list<LogField> fields, std::string_view name) {
    return std::ranges::any_of(fields, [&](const LogField& field) {
      const bool* const is_so = std::get_if<bool>(&field.value);
      return field.name == name && is_so != nullptr && *is_so;
    });
  }

  Tally& tally_;
};

}  // namespace carillon::simulation
