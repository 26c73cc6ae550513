#include "stores/postgres/postgres_log_store.hpp"

#include "ports/left_out_text.hpp"
#include "stores/postgres/connection_pool.hpp"
#include "stores/postgres/transaction.hpp"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

namespace carillon {
namespace {

using postgres::Blob;
using postgres::OpenChunks;
using postgres::Parameters;
using postgres::Row;
using postgres::Transaction;
using Time = std::chrono::steady_clock::time_point;

/// One that writes, one that reads.
constexpr std::size_t connection_count = 2;
/// Bytes in one transaction, unless one log alone has more.
constexpr std::size_t written_at_once = 4 * 1024 * 1024;
constexpr std::size_t removed_at_once = 1'000;
/// Between two tries while the database is away.
constexpr std::chrono::milliseconds retry_interval{1'000};
constexpr int read_tries_max = 2;

struct OpenLog {
  Uid uid{};
  OpenChunks chunks;
  Time due{};  // when it is to be written
  bool is_closed = false;
};

/// What is to be written of one log.
struct WrittenLog {
  AttemptKey key;
  Uid uid{};
  std::int64_t printed = 0;
  std::int64_t forgotten_before = 0;
  bool is_truncated = false;
  bool is_ended = false;
  std::vector<postgres::LogChunk> chunks{};
};

struct ChunkRow {
  const WrittenLog* log = nullptr;
  const postgres::LogChunk* chunk = nullptr;
};

void send_logs(Transaction& transaction, const std::vector<WrittenLog>& logs, std::int64_t head_size_max) {
  Parameters values;
  values.column(logs, [](const WrittenLog& log) { return log.key.run; });
  values.column(logs, [](const WrittenLog& log) { return log.key.attempt; });
  values.column(logs, [](const WrittenLog& log) { return log.uid; });
  values.column(logs, [](const WrittenLog& log) { return log.printed; });
  values.column(logs, [](const WrittenLog& log) { return log.is_truncated; });
  values.column(logs, [](const WrittenLog& log) { return log.is_ended; });
  transaction.send(
      "INSERT INTO log(run, attempt, uid, printed, is_truncated, is_ended) SELECT * FROM unnest($1, $2, $3, $4, $5, "
      "$6) "
      "ON CONFLICT (run, attempt) DO UPDATE SET printed = excluded.printed, is_truncated = excluded.is_truncated, "
      "is_ended = excluded.is_ended",
      values);
  std::vector<ChunkRow> rows;
  for (const WrittenLog& log : logs)
    for (const postgres::LogChunk& chunk : log.chunks) rows.push_back({.log = &log, .chunk = &chunk});
  if (!rows.empty()) {
    Parameters chunks;
    chunks.column(rows, [](const ChunkRow& row) { return row.log->key.run; });
    chunks.column(rows, [](const ChunkRow& row) { return row.log->key.attempt; });
    chunks.column(rows, [](const ChunkRow& row) { return row.chunk->first; });
    chunks.column(rows, [](const ChunkRow& row) { return static_cast<std::int64_t>(row.chunk->bytes.size()); });
    chunks.column(rows, [](const ChunkRow& row) { return Blob{row.chunk->bytes}; });
    // After a lost answer the same bytes come again, perhaps in larger pieces.
    transaction.send(
        "INSERT INTO log_chunk(run, attempt, first, size, bytes) SELECT * FROM unnest($1, $2, $3, $4, $5) ON CONFLICT "
        "(run, attempt, first) DO UPDATE SET size = excluded.size, bytes = excluded.bytes",
        chunks);
  }
  std::vector<const WrittenLog*> shortened;
  for (const WrittenLog& log : logs)
    if (log.forgotten_before > 0) shortened.push_back(&log);
  if (shortened.empty()) return;
  Parameters forgotten;
  forgotten.column(shortened, [](const WrittenLog* log) { return log->key.run; });
  forgotten.column(shortened, [](const WrittenLog* log) { return log->key.attempt; });
  forgotten.column(shortened, [](const WrittenLog* log) { return log->forgotten_before; });
  forgotten.add(head_size_max);
  transaction.send(
      "DELETE FROM log_chunk c USING unnest($1, $2, $3) AS o(run, attempt, before) WHERE c.run = o.run AND c.attempt = "
      "o.attempt AND c.first >= $4 AND c.first + c.size <= o.before",
      forgotten);
}

/// Adds chunks to a page, with a line where bytes are missing.
void add_chunk(LogPage& page, std::int64_t first, std::string_view bytes, std::size_t count_max) {
  const std::int64_t skipped = page.next_offset - first;
  if (skipped >= static_cast<std::int64_t>(bytes.size())) return;
  if (skipped < 0) {
    const std::string text = left_out_text(-skipped);
    if (!page.bytes.empty() && page.bytes.size() + text.size() > count_max) return;
    page.bytes += text;
    page.next_offset = first;
  } else {
    bytes.remove_prefix(static_cast<std::size_t>(skipped));
  }
  const std::string_view taken = bytes.substr(0, count_max - std::min(count_max, page.bytes.size()));
  page.bytes += taken;
  page.next_offset += static_cast<std::int64_t>(taken.size());
}

}  // namespace

class PostgresLogStore::Writer {
 public:
  Writer(const postgres::StoreUrl& url, const PostgresLogOptions& options)
      : url_{url},
        options_{options},
        pool_{[this] { return postgres::Connection::open(url_, options_.limits); }, connection_count,
              options.limits.statement},
        thread_{[this](const std::stop_token& stop) { run(stop); }} {}
  ~Writer() {
    thread_.request_stop();
    thread_.join();
  }

  void append(Uid uid, const AttemptKey& key, std::string_view bytes) {
    const std::scoped_lock lock{mutex_};
    const auto [found, is_new] = logs_.try_emplace(key, OpenLog{.uid = uid, .chunks = OpenChunks{options_.chunks}});
    OpenLog& log = found->second;
    const std::size_t before = log.chunks.waiting_size();
    log.chunks.append(bytes, waiting_size_ < options_.memory_max);
    waiting_size_ += log.chunks.waiting_size() - before;
    if (before != 0) return;
    log.due = std::chrono::steady_clock::now() +
              (log.chunks.is_beyond_head() ? options_.tail_interval : options_.write_interval);
    changed_.notify_all();
  }

  Result<> close(const AttemptKey& key) {
    std::unique_lock lock{mutex_};
    const auto found = logs_.find(key);
    if (found == logs_.end()) return {};
    found->second.is_closed = true;
    found->second.due = {};
    changed_.notify_all();
    if (changed_.wait_for(lock, options_.close_patience, [&] { return !logs_.contains(key); })) return {};
    if (last_error_) return std::unexpected(*last_error_);
    return fail(ErrorCode::unavailable, "the output was not written within {} ms", options_.close_patience.count());
  }

  template <typename Value, typename Work>
  Result<Value> call(Transaction::Kind kind, Work work) {
    for (int tries = 1;; ++tries) {
      auto connection = TRY(pool_.take());
      Transaction transaction{*connection, kind, {.schema = url_.schema, .limits = options_.limits}};
      Result<Value> value = work(transaction);
      // Everything here may be done twice.
      if (value || !connection->is_broken() || tries >= read_tries_max) return value;
    }
  }

 private:
  void run(const std::stop_token& stop) {
    std::unique_lock lock{mutex_};
    while (!stop.stop_requested()) {
      const auto now = std::chrono::steady_clock::now();
      const auto next = next_due();
      if (!next || *next > now || (last_error_ && retry_at_ > now)) {
        const auto wake = next ? std::max(*next, last_error_ ? retry_at_ : Time{}) : now + std::chrono::hours{1};
        const auto had_closed = closed_count();
        changed_.wait_until(lock, stop, wake,
                            [&] { return !last_error_ && (closed_count() != had_closed || next_due() != next); });
        continue;
      }
      write_due(lock);
    }
    if (next_due()) write_due(lock);
  }

  std::optional<Time> next_due() const {
    std::optional<Time> next;
    for (const auto& [key, log] : logs_)
      if (log.is_closed || log.chunks.waiting_size() > 0) next = std::min(next.value_or(log.due), log.due);
    return next;
  }
  std::ptrdiff_t closed_count() const {
    return std::ranges::count_if(logs_, [](const auto& entry) { return entry.second.is_closed; });
  }

  /// What waits goes along with what is due, so that few transactions are made.
  std::vector<WrittenLog> take_waiting() const {
    std::vector<WrittenLog> taken;
    std::size_t size = 0;
    const Time soon = std::chrono::steady_clock::now() + options_.write_interval;
    for (const auto& [key, log] : logs_) {
      if ((log.chunks.waiting_size() == 0 && !log.is_closed) || log.due > soon || size >= written_at_once) continue;
      size += log.chunks.waiting_size();
      taken.push_back({.key = key,
                       .uid = log.uid,
                       .printed = log.chunks.printed(),
                       .forgotten_before = log.chunks.forgotten_before(),
                       .is_truncated = log.chunks.is_truncated(),
                       .is_ended = log.is_closed,
                       .chunks = log.chunks.chunks()});
    }
    return taken;
  }

  void write_due(std::unique_lock<std::mutex>& lock) {
    const auto taken = take_waiting();
    if (taken.empty()) return;
    lock.unlock();
    const auto written = call<bool>(Transaction::Kind::write, [&](Transaction& transaction) -> Result<bool> {
      send_logs(transaction, taken, static_cast<std::int64_t>(options_.chunks.head_size_max));
      TRY(transaction.commit());
      return true;
    });
    lock.lock();
    if (!written) {
      last_error_ = written.error();
      retry_at_ = std::chrono::steady_clock::now() + retry_interval;
      return;
    }
    last_error_.reset();
    for (const WrittenLog& log : taken) note_written(log);
    changed_.notify_all();
  }

  void note_written(const WrittenLog& log) {
    const auto found = logs_.find(log.key);
    if (found == logs_.end()) return;
    OpenLog& open = found->second;
    const std::size_t before = open.chunks.waiting_size();
    open.chunks.written(log.printed);
    waiting_size_ -= before - open.chunks.waiting_size();
    if (open.chunks.waiting_size() == 0 && log.is_ended) {
      logs_.erase(found);
      return;
    }
    if (!open.is_closed)
      open.due = std::chrono::steady_clock::now() +
                 (open.chunks.is_beyond_head() ? options_.tail_interval : options_.write_interval);
  }

  const postgres::StoreUrl url_;
  const PostgresLogOptions options_;
  postgres::ConnectionPool pool_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  // Guarded.
  std::map<AttemptKey, OpenLog> logs_;
  std::size_t waiting_size_ = 0;
  std::optional<Error> last_error_;
  Time retry_at_{};
  // Last: it uses everything above.
  std::jthread thread_;
};

PostgresLogStore::PostgresLogStore(const postgres::StoreUrl& url, const PostgresLogOptions& options)
    : writer_{std::make_unique<Writer>(url, options)} {}
PostgresLogStore::~PostgresLogStore() = default;

void PostgresLogStore::append(Uid uid, const AttemptKey& key, OutputStream /*stream*/, std::string_view bytes) try {
  if (!bytes.empty()) writer_->append(uid, key, bytes);
} catch (const std::bad_alloc&) {
  // What an attempt prints shall not end the server.
}

Result<> PostgresLogStore::close(Uid /*uid*/, const AttemptKey& key) { return writer_->close(key); }

Result<LogPage> PostgresLogStore::read(Uid uid, const AttemptKey& key, std::int64_t offset, std::size_t count_max) {
  if (offset < 0) return fail(ErrorCode::invalid_argument, "a log has no byte {}", offset);
  return writer_->call<LogPage>(Transaction::Kind::read, [&](Transaction& transaction) -> Result<LogPage> {
    transaction.send(
        "SELECT printed, is_truncated, is_ended OR NOT EXISTS (SELECT FROM ledger g WHERE g.seq = l.run AND g.state = "
        "2 "
        "AND g.attempt = l.attempt) FROM log l WHERE run = $1 AND attempt = $2 AND uid = $3",
        Parameters{key.run, key.attempt, uid});
    transaction.send("SELECT 1 FROM log_trimmed WHERE uid = $1 AND seq >= $2", Parameters{uid, key.run});
    if (count_max > 0)
      transaction.send(
          "SELECT first, bytes FROM log_chunk WHERE run = $1 AND attempt = $2 AND first >= coalesce((SELECT max(first) "
          "FROM log_chunk WHERE run = $1 AND attempt = $2 AND first <= $3), 0) ORDER BY first",
          Parameters{key.run, key.attempt, offset});
    const auto answers = TRY(transaction.collect());
    if (answers[0].empty()) {
      auto missing = fail(ErrorCode::not_found, "attempt {} of run {} has no log", key.attempt,
                          static_cast<std::int64_t>(key.run));
      if (!answers[1].empty()) missing.error().rule = log_removed_rule;
      return missing;
    }
    const Row row = answers[0][0];
    LogPage page{
        .bytes = {}, .next_offset = offset, .size = row.count(0), .is_at_end = false, .is_truncated = row.flag(1)};
    if (count_max > 0)
      for (const Row chunk : answers[2]) add_chunk(page, chunk.count(0), chunk.bytes(1), count_max);
    page.is_at_end = row.flag(2) && page.next_offset >= page.size;
    return page;
  });
}

Result<> PostgresLogStore::remove(Uid uid, const std::vector<Seq>& runs) {
  for (std::size_t at = 0; at < runs.size(); at += removed_at_once) {
    const std::vector<Seq> some(
        runs.begin() + static_cast<std::ptrdiff_t>(at),
        runs.begin() + static_cast<std::ptrdiff_t>(std::min(runs.size(), at + removed_at_once)));
    TRY(writer_->call<bool>(Transaction::Kind::write, [&](Transaction& transaction) -> Result<bool> {
      Parameters values;
      values.array(some);
      values.add(uid);
      transaction.send(
          "WITH gone AS (DELETE FROM log WHERE run = ANY($1) AND uid = $2 RETURNING run, attempt) DELETE FROM "
          "log_chunk c "
          "USING gone g WHERE c.run = g.run AND c.attempt = g.attempt",
          values);
      TRY(transaction.commit());
      return true;
    }));
  }
  return {};
}

Result<> PostgresLogStore::trim(Uid uid, Seq newest, std::int64_t size_max) {
  // The newest first, until they are too many: from there on all go.
  const auto old = TRY(writer_->call<std::vector<Seq>>(
      Transaction::Kind::read, [&](Transaction& transaction) -> Result<std::vector<Seq>> {
        const auto found = TRY(transaction.query(
            "SELECT run FROM (SELECT l.run, sum(sum(c.size)) OVER (ORDER BY l.run DESC) AS total FROM log l JOIN "
            "log_chunk c ON c.run = l.run AND c.attempt = l.attempt WHERE l.uid = $1 AND l.run <= $2 GROUP BY l.run) t "
            "WHERE total > $3 ORDER BY run",
            Parameters{uid, newest, size_max}));
        std::vector<Seq> runs;
        for (const Row row : found) runs.push_back(row.as<Seq>(0));
        return runs;
      }));
  if (old.empty()) return {};
  TRY(remove(uid, old));
  TRY(writer_->call<bool>(Transaction::Kind::write, [&](Transaction& transaction) -> Result<bool> {
    transaction.send(
        "INSERT INTO log_trimmed VALUES ($1, $2) ON CONFLICT (uid) DO UPDATE SET seq = greatest(log_trimmed.seq, "
        "excluded.seq)",
        Parameters{uid, old.back()});
    TRY(transaction.commit());
    return true;
  }));
  return {};
}

}  // namespace carillon
