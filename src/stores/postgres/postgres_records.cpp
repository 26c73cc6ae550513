#include "ports/audit_digest.hpp"
#include "stored_rows/feed_bytes.hpp"
#include "stores/postgres/ledger_rows.hpp"
#include "stores/postgres/schedule_views.hpp"
#include "stores/postgres/store_calls.hpp"

#include <fmt/format.h>

#include <limits>

namespace carillon {
namespace {

using postgres::acceptable_text;
using postgres::Blob;
using postgres::Parameters;
using postgres::ResultRows;
using postgres::Row;
using postgres::Transaction;
using postgres::WriteSet;

constexpr std::int64_t events_kept = 100'000;
/// How many old rows go when positions are given: more than come.
constexpr std::int64_t feed_rows_dropped_at_once = 1'000;
constexpr std::int64_t answers_dropped_at_once = 10;
constexpr Duration answer_memory = std::chrono::days{1};

constexpr const char* audit_columns =
    "SELECT number, at, actor, address, operation, namespace, target, outcome, document_before, document_after, digest "
    "FROM audit ";

AuditRecord read_audit_row(const Row& row) {
  return {.number = row.count(0),
          .at = row.instant(1),
          .entry = {.actor = row.text(2),
                    .address = row.text(3),
                    .operation = row.text(4),
                    .name_space = row.text(5),
                    .target = row.text(6),
                    .outcome = row.text(7),
                    .before = row.text(8),
                    .after = row.text(9)},
          .digest = row.text(10)};
}

AuditBreak missing_records(std::int64_t first, std::int64_t last) {
  return {.number = first,
          .reason = first == last ? fmt::format("record {} is missing", first)
                                  : fmt::format("records {} to {} are missing", first, last)};
}

/// As the database keeps it: what is digested is what is read again.
AuditEntry acceptable_entry(AuditEntry entry) {
  for (std::string* member : {&entry.actor, &entry.address, &entry.operation, &entry.name_space, &entry.target,
                              &entry.outcome, &entry.before, &entry.after})
    *member = acceptable_text(*member);
  return entry;
}

constexpr const char* token_columns =
    "SELECT id, name, role, namespace, salt, hash, created_at, expires_at, revoked_at, may_execute FROM token ";

StoredToken read_token_row(const Row& row) {
  return {.id = row.text(0),
          .name = row.text(1),
          .role = row.one_of(2, Role::worker),
          .name_space = row.text_if(3),
          .salt = std::string{row.bytes(4)},
          .hash = std::string{row.bytes(5)},
          .created_at = row.instant(6),
          .expires_at = row.instant_if(7),
          .revoked_at = row.instant_if(8),
          .may_execute = row.flag(9)};
}

std::string seq_array_text(std::span<const Seq> seqs) {
  std::string text = "{";
  for (const Seq seq : seqs) text += (text.size() > 1 ? "," : "") + std::to_string(static_cast<std::int64_t>(seq));
  return text + "}";
}

}  // namespace

Result<> PostgresStore::write_attached(Transaction& transaction, WriteSet& set, const CommandMetadata& attached,
                                       Uid uid, std::span<const Seq> decisions) {
  if (attached.request) {
    const auto put = TRY(transaction.query(
        "INSERT INTO idempotency VALUES ($1, $2, $3, $4, $5::text::int8[], NULL) ON CONFLICT (key) DO UPDATE SET "
        "fingerprint = excluded.fingerprint, at = excluded.at, uid = excluded.uid, decisions = excluded.decisions, "
        "answer = NULL WHERE idempotency.at <= $6",
        Parameters{attached.request->key, attached.request->fingerprint, set.now, uid, seq_array_text(decisions),
                   set.now - answer_memory}));
    // The same request on another connection was faster.
    if (put.changed_count() == 0) return already_carried_out();
    transaction.send(
        "DELETE FROM idempotency WHERE key IN (SELECT key FROM idempotency WHERE at < $1 ORDER BY at LIMIT $2 "
        "FOR UPDATE SKIP LOCKED)",
        Parameters{set.now - answer_memory, answers_dropped_at_once});
    TRY(transaction.collect());
  }
  if (attached.dead_letter && !TRY(postgres::unpark(transaction, *attached.dead_letter))) return already_dealt_with();
  return attached.audit ? write_audit(transaction, *attached.audit, set.now) : Result<>{};
}

// The head is locked until the transaction ends: numbers have no gaps, and each digest covers the one before.
Result<> PostgresStore::write_audit(Transaction& transaction, const AuditEntry& entry, Instant now) {
  const auto head = TRY(transaction.query("SELECT count, digest FROM audit_head FOR UPDATE"));
  AuditRecord record{.number = head[0].count(0) + 1, .at = now, .entry = acceptable_entry(entry), .digest = {}};
  record.digest = digest_of(record, head[0].text(1));
  const AuditEntry& kept = record.entry;
  transaction.send("INSERT INTO audit VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
                   Parameters{record.number, record.at, kept.actor, kept.address, kept.operation, kept.name_space,
                              kept.target, kept.outcome, kept.before, kept.after, record.digest});
  transaction.send("UPDATE audit_head SET count = $1, digest = $2", Parameters{record.number, record.digest});
  TRY(transaction.collect());
  return {};
}

Result<> PostgresStore::append(const AuditEntry& entry) {
  return write_void([&](Transaction& transaction, WriteSet& set) -> Result<> {
    TRY(begin(transaction, set));
    TRY(write_audit(transaction, entry, set.now));
    TRY(transaction.commit());
    return {};
  });
}

Result<std::vector<AuditRecord>> PostgresStore::read_audit(std::optional<std::int64_t> before,
                                                           const std::optional<std::string>& name_space,
                                                           std::size_t count_max) {
  using Records = std::vector<AuditRecord>;
  return read<Records>([&](Transaction& transaction) -> Result<Records> {
    const std::int64_t end = before.value_or(std::numeric_limits<std::int64_t>::max());
    const auto found =
        TRY(transaction.query(std::string{audit_columns} +
                                  (name_space ? "WHERE namespace = $3 AND number < $1 ORDER BY number DESC LIMIT $2"
                                              : "WHERE number < $1 AND $3::text IS NULL ORDER BY number DESC LIMIT $2"),
                              Parameters{end, postgres::row_limit(count_max), name_space}));
    Records records;
    for (const Row row : found) records.push_back(read_audit_row(row));
    return records;
  });
}

Result<AuditHead> PostgresStore::read_audit_head() {
  return read<AuditHead>([&](Transaction& transaction) -> Result<AuditHead> {
    const auto head = TRY(transaction.query("SELECT count, digest FROM audit_head"));
    return AuditHead{.count = head[0].count(0), .digest = head[0].text(1)};
  });
}

Result<std::optional<AuditBreak>> PostgresStore::find_broken_record() {
  using Answer = std::optional<AuditBreak>;
  return read<Answer>([&](Transaction& transaction) -> Result<Answer> {
    constexpr std::int64_t piece = 10'000;
    AuditHead found;
    while (true) {
      const auto some = TRY(transaction.query(std::string{audit_columns} + "WHERE number > $1 ORDER BY number LIMIT $2",
                                              Parameters{found.count, piece}));
      for (const Row row : some) {
        AuditRecord record = read_audit_row(row);
        const std::int64_t expected = found.count + 1;
        if (record.number != expected) return missing_records(expected, record.number - 1);
        if (record.digest != digest_of(record, found.digest)) return changed_record(expected);
        found = {.count = expected, .digest = std::move(record.digest)};
      }
      if (some.size() < static_cast<std::size_t>(piece)) break;
    }
    const auto head = TRY(transaction.query("SELECT count, digest FROM audit_head"));
    const std::int64_t count = head[0].count(0);
    if (found.count < count) return missing_records(found.count + 1, count);
    if (found.count > count)
      return AuditBreak{.number = count + 1, .reason = fmt::format("record {} was not written by a server", count + 1)};
    if (found.digest != head[0].text(1)) return changed_record(found.count);
    return Answer{};
  });
}

Result<> PostgresStore::add_token(const StoredToken& token, const AuditEntry& audit) {
  return write_void([&](Transaction& transaction, WriteSet& set) -> Result<> {
    transaction.send("INSERT INTO token VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING",
                     Parameters{token.id, token.name, token.role, token.name_space, Blob{token.salt}, Blob{token.hash},
                                token.created_at, token.expires_at, token.revoked_at, token.may_execute});
    const auto answers = TRY(begin(transaction, set));
    if (answers.front().changed_count() == 0) return fail(ErrorCode::conflict, "token {} already exists", token.id);
    TRY(write_audit(transaction, audit, set.now));
    TRY(transaction.commit());
    return {};
  });
}

Result<std::optional<StoredToken>> PostgresStore::find_token(const std::string& id) {
  using Answer = std::optional<StoredToken>;
  return read<Answer>([&](Transaction& transaction) -> Result<Answer> {
    const auto found = TRY(transaction.query(std::string{token_columns} + "WHERE id = $1", Parameters{id}));
    return found.empty() ? Answer{} : Answer{read_token_row(found[0])};
  });
}

Result<std::vector<StoredToken>> PostgresStore::read_tokens() {
  using Tokens = std::vector<StoredToken>;
  return read<Tokens>([&](Transaction& transaction) -> Result<Tokens> {
    Tokens tokens;
    for (const Row row : TRY(transaction.query(std::string{token_columns} + "ORDER BY created_at, id")))
      tokens.push_back(read_token_row(row));
    return tokens;
  });
}

Result<> PostgresStore::revoke_token(const std::string& id, Instant at, const AuditEntry& audit) {
  return write_void([&](Transaction& transaction, WriteSet& set) -> Result<> {
    transaction.send("SELECT revoked_at FROM token WHERE id = $1 FOR UPDATE", Parameters{id});
    const auto answers = TRY(begin(transaction, set));
    if (answers.front().empty()) return fail(ErrorCode::not_found, "token {} not found", id);
    if (!answers.front()[0].is_null(0)) return {};
    transaction.send("UPDATE token SET revoked_at = $2 WHERE id = $1", Parameters{id, at});
    TRY(write_audit(transaction, audit, set.now));
    TRY(transaction.commit());
    return {};
  });
}

Result<std::optional<IdempotencyRecord>> PostgresStore::find_request(const std::string& key) {
  using Answer = std::optional<IdempotencyRecord>;
  return read<Answer>([&](Transaction& transaction) -> Result<Answer> {
    postgres::send_find_request(transaction, key);
    transaction.send("SELECT store_now()");
    const auto answers = TRY(transaction.collect());
    return postgres::read_request(answers[0], answers[1][0].instant(0));
  });
}

Result<> PostgresStore::keep_answer(const IdempotencyKey& key, const std::string& answer) {
  return write_void([&](Transaction& transaction, WriteSet& set) -> Result<> {
    postgres::send_find_request(transaction, key.key);
    const auto answers = TRY(begin(transaction, set));
    const auto known = postgres::read_request(answers.front(), set.now);
    if (known && known->fingerprint != key.fingerprint) {
      auto error = fail(ErrorCode::conflict, "this key belongs to another request");
      error.error().rule = repeated_request;
      return error;
    }
    if (known) {
      transaction.send("UPDATE idempotency SET answer = $2 WHERE key = $1 AND answer IS NULL",
                       Parameters{key.key, answer});
    } else {
      TRY(write_attached(transaction, set, {.audit = {}, .request = key}, Uid{}, {}));
      transaction.send("UPDATE idempotency SET answer = $2 WHERE key = $1", Parameters{key.key, answer});
    }
    TRY(transaction.commit());
    return {};
  });
}

// Who holds the head gives positions; a statement of its own then sees all rows that were written before.
Result<> PostgresStore::give_positions() {
  return write_void([&](Transaction& transaction, WriteSet&) -> Result<> {
    transaction.send("SELECT FROM feed_head FOR UPDATE");
    transaction.send(
        "WITH fresh AS MATERIALIZED (SELECT id, count, at, sum(count) OVER (ORDER BY id) - count AS before FROM "
        "feed WHERE position IS NULL), placed AS (UPDATE feed f SET position = h.position + 1 + n.before FROM fresh n, "
        "feed_head h "
        "WHERE f.id = n.id), total AS (SELECT sum(count)::int8 AS count, max(at) AS at FROM fresh) "
        "UPDATE feed_head h SET position = h.position + t.count, newest_at = greatest(h.newest_at, t.at) FROM total t "
        "WHERE t.count IS NOT NULL");
    // Nothing goes of the row in which the oldest event that is kept stands.
    transaction.send(
        "DELETE FROM feed WHERE id IN (SELECT f.id FROM feed f WHERE f.position < (SELECT max(position) FROM feed "
        "WHERE position <= (SELECT position - $1 + 1 FROM feed_head)) ORDER BY f.position LIMIT $2)",
        Parameters{events_kept, feed_rows_dropped_at_once});
    TRY(transaction.commit());
    return {};
  });
}

Result<FeedPage> PostgresStore::read_events(std::optional<std::int64_t> after, std::size_t count_max) {
  const auto read_page = [&](bool& has_fresh) {
    return read<FeedPage>([&](Transaction& transaction) -> Result<FeedPage> {
      FeedPage page;
      transaction.send(
          "SELECT position, (SELECT min(position) FROM feed), EXISTS (SELECT FROM feed WHERE position IS NULL) FROM "
          "feed_head");
      const auto answers = TRY(transaction.collect());
      const Row head = answers[0][0];
      page.newest = head.count(0);
      has_fresh = head.flag(2);
      if (has_fresh || !after || *after == page.newest) return page;
      const auto oldest = head.number_if(1);
      // Positions are given without gaps, and one that was never given is of another life of this database.
      page.is_gap = *after > page.newest || !oldest || *after + 1 < *oldest;
      if (page.is_gap) return page;
      const auto found = TRY(transaction.query(
          "SELECT position, at, events FROM feed WHERE position >= (SELECT max(position) FROM feed WHERE position <= "
          "$1) AND position <= $2 ORDER BY position LIMIT $3",
          Parameters{*after + 1, page.newest, postgres::row_limit(count_max) + 1}));
      for (const Row row : found)
        for (const FeedEvent& event : TRY(rows::unpack_events(row.bytes(2), row.count(0), row.instant(1))))
          if (event.position > *after && page.events.size() < count_max) page.events.push_back(event);
      return page;
    });
  };
  bool has_fresh = false;
  FeedPage page = TRY(read_page(has_fresh));
  // As long as others write there are new ones: twice is enough, the rest comes with the next call.
  for (int round = 0; has_fresh && round < 3; ++round) {
    TRY(give_positions());
    page = TRY(read_page(has_fresh));
  }
  return page;
}

}  // namespace carillon
