#pragma once

#include "simulation/plan.hpp"
#include "simulation/process.hpp"
#include "simulation/surroundings.hpp"

#include <memory>
#include <vector>

namespace carillon::simulation {

/// All who ask for things. Every call goes to one server that is up, and into the history with what was answered.
class Client {
 public:
  Client(Surroundings& surroundings, std::vector<std::unique_ptr<Process>>& processes)
      : around_{surroundings}, processes_{processes} {}

  void call(const PlannedCall& call);

 private:
  [[nodiscard]] Process* server_for(const PlannedCall& call) const;
  void perform(Process& server, const PlannedCall& call);
  [[nodiscard]] Result<CommandResult> ask(Process& server, HistoryEntry& entry);
  [[nodiscard]] Result<Event> event_of(Process& server, HistoryEntry& entry);
  [[nodiscard]] Result<Event> cancel_of(Process& server, HistoryEntry& entry);
  [[nodiscard]] std::string newest_backfill(const std::string& schedule) const;

  Surroundings& around_;
  std::vector<std::unique_ptr<Process>>& processes_;
};

}  // namespace carillon::simulation
