#pragma once

#include "service/parts.hpp"

#include <map>
#include <string>
#include <string_view>

namespace carillon {

/// What must be known of queues to say what a run in one of them waits for. Names are those of the store.
struct QueueFacts {
  std::map<std::string, std::string, std::less<>> paused{};  // and who paused it; empty: nobody knows any more
  const WorkerPresence* presence = nullptr;                  // null: not known here

  [[nodiscard]] bool is_unserved(std::string_view queue) const {
    return presence != nullptr && presence->is_unserved(queue);
  }
};

/// Reads the paused queues and, if there are any, who paused them: from the newest entries of the audit log. Tokens are
/// called by their names.
[[nodiscard]] Result<QueueFacts> read_queue_facts(const ServiceParts& parts);

}  // namespace carillon
