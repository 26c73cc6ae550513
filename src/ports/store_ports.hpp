#pragma once

#include "ports/audit_log.hpp"
#include "ports/event_feed.hpp"
#include "ports/idempotency_store.hpp"
#include "ports/lock_store.hpp"
#include "ports/notifier.hpp"
#include "ports/query_store.hpp"
#include "ports/retention.hpp"
#include "ports/run_queue.hpp"
#include "ports/schedule_store.hpp"
#include "ports/server_registry.hpp"
#include "ports/store_health.hpp"
#include "ports/token_store.hpp"

namespace carillon {

/// Everything that one store offers, as `service`, `runtime` and `scheduling` are given it. The store must outlive
/// them. Only the wiring (`server`, `library`, tests) knows which store it is.
struct StorePorts {
  ScheduleStore& schedules;
  RunQueue& runs;
  QueryStore& queries;
  Retention& retention;
  EventFeed& events;
  AuditLog& audit;
  TokenStore& tokens;
  IdempotencyStore& idempotency;
  Notifier& notifier;
  const StoreHealth* health = nullptr;  // none: the store has no disk that could fail
  LockStore* locks = nullptr;           // none: the store has none
  ServerRegistry* servers = nullptr;    // none: there is one server, which need not be written down
};

}  // namespace carillon
