#pragma once

#include "base/clock_step.hpp"
#include "stored_rows/health_record.hpp"
#include "stores/sqlite/clock_steps.hpp"
#include "stores/sqlite/reader_pool.hpp"
#include "stores/sqlite/sqlite_store.hpp"
#include "stores/sqlite/tables.hpp"
#include "stores/sqlite/write_queue.hpp"

#include <optional>
#include <utility>

namespace carillon {

template <typename Value, typename Read>
Result<Value> SqliteStore::read(Read work) {
  std::optional<Value> value;
  const auto outcome = readers_->read([&](sqlite::Tables& tables) -> Result<> {
    value = TRY(work(tables, clock_.now()));
    return {};
  });
  if (outcome) return *std::move(value);
  if (outcome.error().rule == rule_of(StoreFailureKind::damaged)) health_->note_damage(outcome.error());
  return std::unexpected(outcome.error());
}

template <typename Value, typename Write>
Result<Value> SqliteStore::write_in(sqlite::Lane lane, Write work) {
  if (!writer_) return fail(ErrorCode::conflict, "{} is open for reading only", file_.string());
  if (lane == sqlite::Lane::user || lane == sqlite::Lane::due) TRY(expect_undamaged());
  std::optional<Value> value;
  TRY(writer_->run(lane, [&](sqlite::Tables& tables) -> Result<> {
    const Instant now = clock_.now();
    tables.counters.note(now);
    TRY(follow_clock(tables, clock_offset(now, clock_.since_boot())));
    TRY(tables.sessions.advance(now));
    value = TRY(work(tables, now));
    return {};
  }));
  return *std::move(value);
}

template <typename Write>
Result<> SqliteStore::write_in(sqlite::Lane lane, Write work) {
  TRY(write_in<bool>(lane, [&](sqlite::Tables& tables, Instant now) -> Result<bool> {
    TRY(work(tables, now));
    return true;
  }));
  return {};
}

}  // namespace carillon
