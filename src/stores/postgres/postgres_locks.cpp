#include "stores/postgres/store_calls.hpp"

namespace carillon {
namespace {

using postgres::Parameters;
using postgres::ResultRows;
using postgres::Row;
using postgres::Transaction;
using postgres::WriteSet;

LockRecord lock_record(const Row& row) {
  return {.owner = row.text(0), .fence = row.count(1), .acquired_at = row.instant(2), .until = row.instant(3)};
}

}  // namespace

Result<LockAttempt> PostgresStore::acquire_lock(const LockRequest& request) {
  return write_in<LockAttempt>([&](Transaction& transaction, WriteSet& set) -> Result<LockAttempt> {
    TRY(begin(transaction, set));
    // Takes a row that is nobody's, and waits for who is about to take it.
    transaction.send(
        "INSERT INTO lock VALUES ($1, $2, $3, nextval('lock_fence'), $4, $5) ON CONFLICT (name) DO UPDATE SET token = "
        "excluded.token, owner = excluded.owner, fence = excluded.fence, acquired_at = excluded.acquired_at, until = "
        "excluded.until WHERE lock.until <= excluded.acquired_at RETURNING owner, fence, acquired_at, until",
        Parameters{request.name, request.token, request.owner, set.now, set.now + request.ttl});
    transaction.send("SELECT owner, fence, acquired_at, until, token FROM lock WHERE name = $1",
                     Parameters{request.name});
    const auto answers = TRY(transaction.commit());
    // Whoever was in the way may have let go of it meanwhile: then the next try has it.
    if (answers[1].empty())
      return LockAttempt{.is_acquired = false, .lock = {.owner = {}, .acquired_at = {}, .until = set.now}};
    const Row held = answers[1][0];
    return LockAttempt{.is_acquired = held.text(4) == request.token, .lock = lock_record(held)};
  });
}

Result<std::optional<LockRecord>> PostgresStore::extend_lock(const std::string& name, const std::string& token,
                                                             Duration ttl) {
  using Answer = std::optional<LockRecord>;
  return write_in<Answer>([&](Transaction& transaction, WriteSet& set) -> Result<Answer> {
    TRY(begin(transaction, set));
    transaction.send(
        "UPDATE lock SET until = $4 WHERE name = $1 AND token = $2 AND until > $3 RETURNING owner, fence, acquired_at, "
        "until",
        Parameters{name, token, set.now, set.now + ttl});
    const auto answers = TRY(transaction.commit());
    return answers[0].empty() ? Answer{} : Answer{lock_record(answers[0][0])};
  });
}

Result<bool> PostgresStore::release_lock(const std::string& name, const std::string& token) {
  return write_in<bool>([&](Transaction& transaction, WriteSet& set) -> Result<bool> {
    TRY(begin(transaction, set));
    transaction.send("DELETE FROM lock WHERE name = $1 AND token = $2 RETURNING until", Parameters{name, token});
    const auto answers = TRY(transaction.commit());
    return !answers[0].empty() && answers[0][0].instant(0) > set.now;
  });
}

Result<std::optional<LockRecord>> PostgresStore::read_lock(const std::string& name) {
  using Answer = std::optional<LockRecord>;
  return read<Answer>([&](Transaction& transaction) -> Result<Answer> {
    const Moment moment = TRY(read_moment(transaction));
    const auto found =
        TRY(transaction.query("SELECT owner, fence, acquired_at, until FROM lock WHERE name = $1 AND until > $2",
                              Parameters{name, moment.of_rows}));
    return found.empty() ? Answer{} : Answer{lock_record(found[0])};
  });
}

}  // namespace carillon
