#pragma once

#include "base/error.hpp"
#include "data_folder/data_directory.hpp"
#include "ports/audit_log.hpp"
#include "ports/clock.hpp"
#include "ports/event_feed.hpp"
#include "ports/idempotency_store.hpp"
#include "ports/log.hpp"
#include "ports/query_store.hpp"
#include "ports/retention.hpp"
#include "ports/run_queue.hpp"
#include "ports/schedule_store.hpp"
#include "ports/token_store.hpp"
#include "service/run_ids.hpp"

#include <filesystem>
#include <memory>
#include <optional>

namespace carillon {

/// The store of an embedded scheduler: in a data folder, or in memory.
struct SchedulerStore {
  std::optional<DataDirectory> directory;  // none: in memory
  std::unique_ptr<ScheduleStore> schedules;
  // The same object.
  RunQueue& queue;
  QueryStore& queries;
  Retention& retention;
  EventFeed& events;
  AuditLog& audit;
  TokenStore& tokens;
  IdempotencyStore& requests;
  RunIds run_ids;

  /// Takes the folder and marks the runs that an earlier process left open there as lost. An empty path: in memory.
  [[nodiscard]] static Result<SchedulerStore> open(const std::filesystem::path& data, Clock& clock, Log& log);
};

}  // namespace carillon
