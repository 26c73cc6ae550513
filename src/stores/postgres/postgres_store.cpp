#include "stores/postgres/postgres_store.hpp"

#include "base/assertion.hpp"
#include "engine/feed_rules.hpp"
#include "stores/postgres/claiming.hpp"
#include "stores/postgres/migration.hpp"
#include "stores/postgres/schedule_views.hpp"
#include "stores/postgres/store_calls.hpp"
#include "stores/postgres/transition_writing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <utility>

namespace carillon {
namespace {

using postgres::Parameters;
using postgres::ResultRows;
using postgres::Row;
using postgres::Transaction;
using postgres::WriteSet;

/// By how much a look may be late before everybody asks for himself.

constexpr const char* clock_query = "SELECT store_now(), moved FROM clock";

postgres::ClockReading reading_of(const Row& row, Duration before, Duration after) {
  return {.now = row.instant(0), .moved = row.duration(1), .before = before, .after = after};
}

std::int64_t random_writer() {
  std::random_device device;
  return static_cast<std::int64_t>((static_cast<std::uint64_t>(device()) << 31) ^ device());
}

}  // namespace

PostgresStore::PostgresStore(postgres::StoreUrl url, Clock& clock, const PostgresOptions& options)
    : url_{std::move(url)},
      clock_{clock},
      options_{options},
      writer_{random_writer()},
      health_{std::make_unique<rows::HealthRecord>(clock)},
      lineage_{std::make_unique<postgres::Lineage>(url_.schema)},
      pool_{std::make_unique<postgres::ConnectionPool>([this] { return connect(); }, options.connection_count_max,
                                                       options.limits.statement)},
      clock_watch_{std::make_unique<postgres::ClockWatch>()} {
  health_->on_change = [this](const std::optional<StoreFailure>& failure) {
    if (on_health_change) on_health_change(failure);
  };
}

PostgresStore::~PostgresStore() = default;

Result<std::unique_ptr<PostgresStore>> PostgresStore::open(const postgres::StoreUrl& url, Clock& clock,
                                                           const PostgresOptions& options) {
  {
    const auto connection = TRY(postgres::Connection::open(url, options.limits));
    TRY(postgres::expect_present_schema(*connection, url.schema));
  }
  std::unique_ptr<PostgresStore> store{new PostgresStore{url, clock, options}};
  // The first look at the clock, and whether the rights suffice.
  TRY(store->read<bool>([&](Transaction& transaction) -> Result<bool> {
    TRY(store->read_moment(transaction));
    return true;
  }));
  if (options.is_watching)
    store->watcher_ = std::make_unique<postgres::ChangeWatcher>(
        [to = store.get()] { return to->connect(); },
        postgres::ChangeWatcher::Options{
            .schema = url.schema, .writer = store->writer_, .poll_time = options.poll_time},
        [to = store.get()](const StoreChange& change) { to->listeners_.call(change); },
        [to = store.get()](const postgres::Lineage::FeedRow& row) { to->lineage_->see(row); });
  return store;
}

Result<std::unique_ptr<postgres::Connection>> PostgresStore::connect() {
  auto connection = TRY(postgres::Connection::open(url_, options_.limits));
  TRY(lineage_->check(*connection));
  return connection;
}

Result<std::int64_t> PostgresStore::migrate(const postgres::StoreUrl& url) {
  const auto connection = TRY(postgres::Connection::open(url, {}));
  return postgres::migrate(*connection, url.schema);
}

const StoreHealth& PostgresStore::health() const { return *health_; }

StorePorts PostgresStore::ports() {
  return {.schedules = *this,
          .runs = *this,
          .queries = *this,
          .retention = *this,
          .events = *this,
          .audit = *this,
          .tokens = *this,
          .idempotency = *this,
          .notifier = *this,
          .health = health_.get(),
          .locks = this,
          .servers = this};
}

NotifierSubscription PostgresStore::subscribe(std::function<void(const StoreChange&)> listener) {
  return NotifierSubscription{listeners_.add(std::move(listener))};
}

bool PostgresStore::is_prompt() const { return watcher_ != nullptr && watcher_->is_listening(); }

Result<std::vector<ResultRows>> PostgresStore::begin(Transaction& transaction, WriteSet& set) {
  const Duration before = clock_.since_boot();
  transaction.send(clock_query);
  auto answers = TRY(transaction.collect());
  const auto reading = reading_of(answers.back()[0], before, clock_.since_boot());
  answers.pop_back();
  set.now = reading.now;
  if (clock_watch_->step_seen(reading) == Duration{0}) return answers;
  auto step = fail(ErrorCode::unavailable, "the clock of the database was set");
  step.error().rule = postgres::clock_step_rule;
  return step;
}

Result<ResultRows> PostgresStore::ask(const std::string& sql, const Parameters& values) {
  for (int tries = 1;; ++tries) {
    auto connection = pool_->take();
    if (!connection) {
      health_->note(rows::HealthRecord::Part::deciding, std::unexpected(connection.error()));
      return std::unexpected(std::move(connection).error());
    }
    (*connection)->send(sql, values);
    auto answers = (*connection)->collect();
    if (!answers && (*connection)->is_broken() && tries < postgres::try_count_max) continue;
    health_->note(rows::HealthRecord::Part::deciding, answers ? Result<>{} : std::unexpected(answers.error()));
    if (!answers) return std::unexpected(std::move(answers).error());
    return std::move(answers->back());
  }
}

Result<> PostgresStore::finish(Transaction& transaction, WriteSet& set) {
  set.send();
  set.note_answers(TRY(transaction.commit()));
  if (set.feed_row()) lineage_->see(*set.feed_row());
  return {};
}

Result<PostgresStore::Moment> PostgresStore::read_moment(Transaction& transaction) {
  const Duration before = clock_.since_boot();
  const auto row = TRY(transaction.query(clock_query));
  const auto reading = reading_of(row[0], before, clock_.since_boot());
  return Moment{.now = reading.now, .of_rows = reading.now - clock_watch_->step_seen(reading)};
}

// Leases and waits are lengths of time: when the clock is set, the times that stand for them move along.
Result<> PostgresStore::move_clock() {
  auto connection = TRY(pool_->take());
  Transaction transaction{*connection, Transaction::Kind::write, {.schema = url_.schema, .limits = options_.limits}};
  // Whoever noticed it first has moved the rows when the lock is ours.
  transaction.send("SELECT FROM clock FOR UPDATE");
  const Duration before = clock_.since_boot();
  const auto row = TRY(transaction.query(clock_query));
  auto reading = reading_of(row[0], before, clock_.since_boot());
  const Duration step = clock_watch_->step_seen(reading);
  if (step != Duration{0}) {
    transaction.send("UPDATE session SET lease_until = lease_until + $1 WHERE phase = 0", Parameters{step});
    transaction.send(
        "UPDATE ledger SET claimable_from = claimable_from + $1, expires_at = expires_at + $1, rank = rank + $1 "
        "WHERE state IN (1, 3)",
        Parameters{step});
    transaction.send("UPDATE lock SET until = until + $1, acquired_at = acquired_at + $1", Parameters{step});
    transaction.send("UPDATE clock SET moved = moved + $1", Parameters{step});
    reading.moved += step;
  }
  TRY(transaction.commit());
  clock_watch_->accept(reading);
  return {};
}

Result<std::string> PostgresStore::shared_key(const std::string& name, const std::string& proposed) {
  return write_in<std::string>([&](Transaction& transaction, WriteSet&) -> Result<std::string> {
    transaction.send("INSERT INTO shared_key VALUES ($1, $2) ON CONFLICT DO NOTHING",
                     Parameters{name, postgres::Blob{proposed}});
    transaction.send("SELECT value FROM shared_key WHERE name = $1", Parameters{name});
    return TRY(transaction.commit())[1][0].text(0);
  });
}

Result<CommitResult> PostgresStore::commit(const Batch& batch) {
  CARILLON_ASSERT(batch.attached == nullptr || batch.transitions.size() == 1);
  return write_in<CommitResult>([&](Transaction& transaction, WriteSet& set) -> Result<CommitResult> {
    CommitResult committed{.store_now = {}, .items = {}, .claimed = {}};
    const CommandMetadata* attached = batch.attached;
    const bool has_request = attached != nullptr && attached->request;
    postgres::send_locks(transaction, batch.transitions);
    if (batch.claim) {
      transaction.send(postgres::session_query, Parameters{batch.claim->session});
      postgres::send_queue_questions(transaction, batch.claim->queues);
    }
    if (has_request) postgres::send_find_request(transaction, attached->request->key);
    const auto answers = TRY(begin(transaction, set));
    committed.store_now = set.now;
    std::size_t place = 0;
    TRY(postgres::take_locked(transaction, batch.transitions, set, answers, place));
    std::optional<postgres::StoredSession> session;
    if (batch.claim) session = postgres::read_session(answers.at(place++), set.now);
    std::optional<postgres::ClaimQueues> queues;
    if (batch.claim) {
      queues.emplace(batch.claim->queues, batch.claim->skills, answers.at(place), answers.at(place + 1));
      place += 2;
    }
    if (has_request) TRY(postgres::refuse_repeated(answers.at(place), set.now));
    committed.items.reserve(batch.transitions.size());
    for (const Transition& transition : batch.transitions)
      committed.items.push_back(TRY(postgres::write_transition(set, batch.writer, transition)));
    // What was decided holds, also if this server's own workers have lost their lease.
    if (session) {
      committed.claimed = TRY(postgres::claim_runs(transaction, set, *batch.claim, *session, *queues));
      note_limits(queues->limits());
    }
    if (attached != nullptr && committed.items.front().outcome == WriteOutcome::Outcome::written)
      TRY(write_attached(transaction, set, *attached, committed.items.front().uid, committed.items.front().decisions));
    TRY(finish(transaction, set));
    return committed;
  });
}

Result<bool> PostgresStore::quarantine(Uid uid, std::int64_t version, const std::string& error, Instant retry_at) {
  return write_in<bool>([&](Transaction& transaction, WriteSet& set) -> Result<bool> {
    transaction.send("SELECT wake_at FROM state WHERE uid = $1 AND version = $2 FOR UPDATE", Parameters{uid, version});
    const auto answers = TRY(begin(transaction, set));
    if (answers.front().empty()) return false;
    const auto wake = answers.front()[0].instant_if(0);
    transaction.send("INSERT INTO quarantine VALUES ($1, $2) ON CONFLICT (uid) DO UPDATE SET error = excluded.error",
                     Parameters{uid, error});
    TRY(transaction.query("UPDATE state SET wake_at = $2, flags = flags | 8 WHERE uid = $1",
                          Parameters{uid, retry_at}));
    set.note(event_of_quarantine({.uid = uid, .at = set.now}));
    set.change.has_wake = !wake || retry_at < *wake;
    TRY(finish(transaction, set));
    return true;
  });
}

Result<bool> PostgresStore::adopt_zone_edition(ZoneEdition expected, ZoneEdition next) {
  return write_in<bool>([&](Transaction& transaction, WriteSet&) -> Result<bool> {
    transaction.send("UPDATE zone SET edition = $2 WHERE edition = $1", Parameters{expected, next});
    return TRY(transaction.commit()).front().changed_count() > 0;
  });
}

Result<> PostgresStore::settle_zone_edition(ZoneEdition edition) {
  return write_void([&](Transaction& transaction, WriteSet&) -> Result<> {
    transaction.send("UPDATE zone SET settled_edition = $1 WHERE edition = $1", Parameters{edition});
    TRY(transaction.commit());
    return {};
  });
}

Result<std::optional<Outage>> PostgresStore::note_deciding(const Presence& presence) {
  using Answer = std::optional<Outage>;
  // Mostly nobody was away.
  const auto noted =
      TRY(ask(fmt::format("UPDATE {0}.presence SET decided_at = {0}.store_now() WHERE decided_at >= $1", url_.schema),
              Parameters{presence.since - outage_min}));
  if (noted.changed_count() > 0) return Answer{};
  return write_in<Answer>([&](Transaction& transaction, WriteSet& set) -> Result<Answer> {
    transaction.send("SELECT decided_at FROM presence FOR UPDATE");
    const auto answers = TRY(begin(transaction, set));
    const auto last = answers.front()[0].instant_if(0);
    transaction.send("UPDATE presence SET decided_at = $1", Parameters{set.now});
    Answer outage;
    if (last && presence.since - *last > outage_min) {
      set.add_seqs(TRY(transaction.query(postgres::seqs_query, Parameters{1})));
      outage = Outage{.seq = set.next_seq(), .from = *last, .to = presence.since, .cause = presence.cause};
      transaction.send("INSERT INTO outage VALUES ($1, $2, $3, $4, $5)",
                       Parameters{outage->seq, set.now, outage->from, outage->to, outage->cause});
      transaction.send("DELETE FROM outage WHERE seq <= (SELECT seq FROM outage ORDER BY seq DESC LIMIT 1 OFFSET $1)",
                       Parameters{outages_kept_max});
    }
    TRY(transaction.commit());
    return outage;
  });
}

}  // namespace carillon
