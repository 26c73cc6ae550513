#include "stores/postgres/transaction.hpp"

#include "ports/store_health.hpp"

#include <algorithm>
#include <utility>

namespace carillon::postgres {
namespace {

// A client that hangs or is cut off holds nothing for long: the first two limits end what waits or works, the third
// what its client does not go on with, the fourth what its client does not read. For this transaction only: behind a
// pooler a session is not ours. Nested loops are what the statements with arrays are written for; left alone, the
// planner reads whole tables that were empty when it looked, and sorts all that is due to take the first thousand.
constexpr const char* settings_query =
    "SELECT set_config('search_path', $1, true), set_config('statement_timeout', $2, true), "
    "set_config('lock_timeout', $3, true), set_config('idle_in_transaction_session_timeout', $4, true), "
    "set_config('tcp_user_timeout', $5, true), "
    "set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true), "
    "set_config('enable_mergejoin', 'off', true), set_config('enable_bitmapscan', 'off', true), "
    "set_config('jit', 'off', true)";

}  // namespace

Transaction::Transaction(Connection& connection, Kind kind, const TransactionSettings& settings)
    : connection_{connection} {
  connection_.send(kind == Kind::read ? "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
                                      : "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE");
  const auto text = [](std::chrono::milliseconds time) { return std::to_string(time.count()); };
  connection_.send(settings_query,
                   Parameters{settings.schema, text(settings.limits.statement), text(settings.limits.lock),
                              text(settings.limits.idle_in_transaction), text(settings.limits.peer)});
  skipped_ = 2;
}

Transaction::~Transaction() { roll_back(); }

void Transaction::roll_back() {
  if (std::exchange(is_over_, true) || connection_.is_broken()) return;
  // Whatever waits to be answered belongs to what is given up.
  connection_.send("ROLLBACK");
  static_cast<void>(connection_.collect());
}

void Transaction::send(const std::string& sql, const Parameters& parameters) { connection_.send(sql, parameters); }

Result<std::vector<ResultRows>> Transaction::collect() {
  auto answers = connection_.collect();
  if (!answers) return answers;
  answers->erase(answers->begin(), answers->begin() + static_cast<std::ptrdiff_t>(std::exchange(skipped_, 0)));
  for (const ResultRows& answer : *answers) marks_.push_back(answer.is_sound());
  return answers;
}

Result<ResultRows> Transaction::query(const std::string& sql, const Parameters& parameters) {
  send(sql, parameters);
  auto answers = TRY(collect());
  return std::move(answers.back());
}

Result<std::vector<ResultRows>> Transaction::commit() {
  TRY(check_rows());
  connection_.send("COMMIT");
  is_commit_sent_ = true;
  auto answers = collect();
  // An error of a statement means that the end was not reached.
  if (!answers && !connection_.is_broken()) {
    is_commit_sent_ = false;
    return answers;
  }
  is_over_ = true;
  if (answers) answers->pop_back();
  return answers;
}

Result<> Transaction::check_rows() const {
  if (std::ranges::all_of(marks_, [](const auto& mark) { return *mark; })) return {};
  Error error = fail(ErrorCode::corrupt, "{}: a row has an invalid value", connection_.description()).error();
  error.rule = rule_of(StoreFailureKind::damaged);
  error.hint = remedy_of(StoreFailureKind::damaged);
  return std::unexpected(std::move(error));
}

}  // namespace carillon::postgres
