#pragma once

#include "ports/notifier.hpp"
#include "stores/sqlite/audit_rows.hpp"
#include "stores/sqlite/clock_steps.hpp"
#include "stores/sqlite/connection.hpp"
#include "stores/sqlite/counters.hpp"
#include "stores/sqlite/decision_search.hpp"
#include "stores/sqlite/decision_walk.hpp"
#include "stores/sqlite/definition_rows.hpp"
#include "stores/sqlite/feed_rows.hpp"
#include "stores/sqlite/forgetting.hpp"
#include "stores/sqlite/idempotency_rows.hpp"
#include "stores/sqlite/ledger_reading.hpp"
#include "stores/sqlite/line_rows.hpp"
#include "stores/sqlite/listing_rows.hpp"
#include "stores/sqlite/lock_rows.hpp"
#include "stores/sqlite/outage_rows.hpp"
#include "stores/sqlite/past_rows.hpp"
#include "stores/sqlite/queue_names.hpp"
#include "stores/sqlite/queue_records.hpp"
#include "stores/sqlite/ready_rows.hpp"
#include "stores/sqlite/run_records.hpp"
#include "stores/sqlite/run_rows.hpp"
#include "stores/sqlite/schedule_records.hpp"
#include "stores/sqlite/schedule_removal.hpp"
#include "stores/sqlite/session_rows.hpp"
#include "stores/sqlite/state_rows.hpp"
#include "stores/sqlite/token_rows.hpp"
#include "stores/sqlite/view_rows.hpp"

#include <memory>
#include <string>
#include <utility>

namespace carillon::sqlite {

/// A connection with all statements on it. They are prepared when they are first used, so that one which only reads
/// does not pay for the others.
struct Tables {
  explicit Tables(std::unique_ptr<Connection> opened, std::string key = {})
      : connection{std::move(opened)}, audit_key{std::move(key)} {}

  std::unique_ptr<Connection> connection;
  std::string audit_key;
  StoreChange change{};  // what the transaction has changed so far; `has_events` is known at its end
  Counters counters{*connection};
  QueueNames queues{*connection};
  StateRows states{*connection, change};
  ViewRows views{*connection};
  PastRows past{*connection};
  RunRows runs{*connection, queues};
  ReadyRows ready{*connection, change};
  SessionRows sessions{*connection};
  TimedRows timed{*connection};
  LineRows lines{*connection};
  DefinitionRows definitions{*connection};
  LedgerReading ledger{*connection, definitions};
  Forgetting forgetting{*connection};
  ScheduleRemoval removal{*connection};
  FeedRows feed{*connection};
  ListingRows listing{*connection};
  ScheduleRecords schedule_records{*connection, views, definitions};
  DecisionWalk walk{*connection};
  RunRecords run_records{*connection, runs, queues, walk};
  DecisionSearch search{*connection, walk, run_records};
  QueueRecords queue_records{*connection};
  AuditRows audit{*connection, audit_key};
  TokenRows tokens{*connection};
  LockRows locks{*connection};
  OutageRows outages{*connection};
  IdempotencyRows idempotency{*connection};
};

}  // namespace carillon::sqlite
