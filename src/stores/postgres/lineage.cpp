#include "stores/postgres/lineage.hpp"

#include "ports/store_health.hpp"

#include <fmt/format.h>

namespace carillon::postgres {
namespace {

Error loss_of(const Lineage::FeedRow& row, const std::string& database) {
  Error error = fail(ErrorCode::unavailable,
                     "{}: the database is behind what this server knows: what was written at {} is gone. A standby was "
                     "promoted that had not received everything, or a backup was restored",
                     database, to_text(row.at))
                    .error();
  error.rule = rule_of(StoreFailureKind::damaged);
  error.hint = fmt::format(
      "nothing is started, because what was started since would start again; see what is missing since {}, then "
      "restart "
      "all servers",
      to_text(row.at));
  return error;
}

}  // namespace

void Lineage::see(const FeedRow& row) {
  const std::scoped_lock lock{mutex_};
  if (row.id > newest_.id) newest_ = row;
}

Result<> Lineage::check(Connection& connection) {
  FeedRow newest;
  {
    const std::scoped_lock lock{mutex_};
    if (loss_) return std::unexpected(*loss_);
    newest = newest_;
  }
  if (newest.id == 0) return {};
  connection.send(
      fmt::format("SELECT (SELECT writer = $2 AND at = $3 FROM {0}.feed WHERE id = $1), EXISTS (SELECT FROM {0}.feed "
                  "WHERE id < $1), EXISTS (SELECT FROM {0}.feed WHERE id > $1), pg_is_in_recovery()",
                  schema_),
      Parameters{newest.id, newest.writer, newest.at});
  const auto answers = TRY(connection.collect());
  const Row row = answers.back()[0];
  const bool is_gone = row.is_null(0);
  // The oldest rows go when they are many: one that went by that has none before it, and many behind it.
  const bool is_pruned = is_gone && !row.flag(1) && row.flag(2);
  // A standby may lag behind; who writes to it is refused.
  const bool is_standby = row.flag(3);
  if (is_standby || is_pruned || (!is_gone && row.flag(0))) return {};
  const std::scoped_lock lock{mutex_};
  loss_ = loss_of(newest, connection.description());
  return std::unexpected(*loss_);
}

}  // namespace carillon::postgres
