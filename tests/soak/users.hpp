#pragma once

#include "scheduling/schedule_commands.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace carillon::testing {

/// Due every second: when it has run, all that was due has been decided.
inline constexpr const char* beacon_id = "beacon";

/// The people around a server: they make its schedules, and want something every second.
class Users {
 public:
  /// So many schedules are due each second, spread over ten seconds. One is edited every `edit_period` seconds; 0:
  /// nobody edits or pauses, so that no schedule gets another revision.
  Users(std::size_t starts_per_second, std::int64_t edit_period)
      : schedule_count_{starts_per_second * 10}, edit_period_{edit_period} {}

  [[nodiscard]] Result<> create_all(ScheduleCommands& commands);
  /// What they do in this second. At least one command is granted, which makes the server look at the clock.
  [[nodiscard]] Result<> act(ScheduleCommands& commands, std::int64_t second, Instant now);

  [[nodiscard]] const std::map<std::string, std::int64_t>& granted() const { return granted_; }
  [[nodiscard]] const std::map<std::string, std::int64_t>& refused() const { return refused_; }

 private:
  Result<> note(const std::string& what, const Result<CommandResult>& answer);
  Result<> change(ScheduleCommands& commands, const std::string& what, const std::string& schedule, const Event& event);

  std::size_t schedule_count_;
  std::int64_t edit_period_;
  std::map<std::string, std::int64_t> granted_;
  std::map<std::string, std::int64_t> refused_;
};

}  // namespace carillon::testing
