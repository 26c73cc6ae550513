#pragma once

#include "ports/store_health.hpp"
#include "stored_rows/health_record.hpp"
#include "stores/postgres/change_watcher.hpp"
#include "stores/postgres/clock_watch.hpp"
#include "stores/postgres/connection_pool.hpp"
#include "stores/postgres/lineage.hpp"
#include "stores/postgres/postgres_store.hpp"
#include "stores/postgres/transaction.hpp"
#include "stores/postgres/write_set.hpp"

#include <optional>
#include <string_view>
#include <utility>

namespace carillon {

namespace postgres {

inline constexpr int try_count_max = 5;
/// The rule of the error that makes a call wait until rows have been moved along with the clock. Nobody else sees it.
inline constexpr std::string_view clock_step_rule = "clock-step";

/// Errors after which the same transaction may well succeed: it was chosen to end a deadlock, or somebody else has
/// just written the same name.
[[nodiscard]] inline bool may_be_tried_again(std::string_view sql_state) {
  return sql_state == "40001" || sql_state == "40P01" || sql_state == "23505";
}

}  // namespace postgres

struct PostgresStore::Asked {
  postgres::ResultRows rows;
  Moment moment;
};

template <typename Value, typename Work>
Result<Value> PostgresStore::read(Work work) {
  for (int tries = 1;; ++tries) {
    auto connection = pool_->take();
    if (!connection) {
      health_->note(rows::HealthRecord::Part::deciding, std::unexpected(connection.error()));
      return std::unexpected(std::move(connection).error());
    }
    postgres::Transaction transaction{
        **connection, postgres::Transaction::Kind::read, {.schema = url_.schema, .limits = options_.limits}};
    Result<Value> value = work(transaction);
    if (value) {
      if (auto ended = transaction.commit(); !ended) value = std::unexpected(std::move(ended).error());
    }
    const bool may_repeat =
        !value && ((*connection)->is_broken() || postgres::may_be_tried_again((*connection)->sql_state()));
    if (may_repeat && tries < postgres::try_count_max) continue;
    health_->note(rows::HealthRecord::Part::deciding, value ? Result<>{} : std::unexpected(value.error()));
    return value;
  }
}

template <typename Value, typename Work>
Result<Value> PostgresStore::write_in(Work work) {
  for (int tries = 1;; ++tries) {
    bool is_step = false;
    {
      auto connection = pool_->take();
      if (!connection) {
        health_->note(rows::HealthRecord::Part::writing, std::unexpected(connection.error()));
        return std::unexpected(std::move(connection).error());
      }
      postgres::Transaction transaction{
          **connection, postgres::Transaction::Kind::write, {.schema = url_.schema, .limits = options_.limits}};
      postgres::WriteSet set{transaction, writer_};
      Result<Value> value = work(transaction, set);
      is_step = !value && value.error().rule == postgres::clock_step_rule;
      // After the question to commit nobody knows but the database: the caller looks (see ScheduleStore).
      const bool may_repeat = !value && !transaction.is_commit_sent() &&
                              ((*connection)->is_broken() || postgres::may_be_tried_again((*connection)->sql_state()));
      if (!is_step && (!may_repeat || tries >= postgres::try_count_max)) {
        health_->note(rows::HealthRecord::Part::writing, value ? Result<>{} : std::unexpected(value.error()));
        if (value && set.change != StoreChange{}) {
          if (watcher_) watcher_->note_own(set.change);
          listeners_.call(set.change);
        }
        return value;
      }
    }
    if (is_step) TRY(move_clock());
  }
}

template <typename Work>
Result<> PostgresStore::write_void(Work work) {
  TRY(write_in<bool>([&](postgres::Transaction& transaction, postgres::WriteSet& set) -> Result<bool> {
    TRY(work(transaction, set));
    return true;
  }));
  return {};
}

}  // namespace carillon
