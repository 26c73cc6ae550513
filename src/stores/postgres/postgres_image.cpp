#include "stores/postgres/postgres_image.hpp"

#include "ports/server_registry.hpp"
#include "stores/postgres/connection.hpp"
#include "stores/postgres/migration.hpp"
#include "stores/postgres/transaction.hpp"

#include <fmt/format.h>

#include <utility>

namespace carillon {
namespace {

using postgres::Blob;
using postgres::Connection;
using postgres::Parameters;
using postgres::ResultRows;
using postgres::Row;
using postgres::TimeLimits;
using postgres::Transaction;
using rows::ColumnKind;
using rows::ImageBytes;
using rows::ImageColumn;
using rows::ImageCounters;
using rows::ImageRow;
using rows::ImageTable;
using rows::ImageValue;

/// A copy takes its time, and nobody else is there.
constexpr TimeLimits copy_limits{.statement = std::chrono::minutes{30},
                                 .lock = std::chrono::seconds{10},
                                 .idle_in_transaction = std::chrono::minutes{10}};
/// A server that runs notes every two seconds that it decides.
constexpr Duration deciding_lately = std::chrono::seconds{10};

std::string read_expression(const ImageColumn& column) {
  switch (column.kind) {
    case ColumnKind::number: return fmt::format("{}::int8", column.name);
    case ColumnKind::flag: return fmt::format("{}::int4::int8", column.name);
    case ColumnKind::text:
    case ColumnKind::bytes: return std::string{column.name};
    case ColumnKind::list: return fmt::format("array_to_string({}, ',')", column.name);
  }
  return {};
}

std::string write_expression(const ImageColumn& column, std::size_t place) {
  if (column.kind == ColumnKind::flag) return fmt::format("u.c{} <> 0", place);
  if (column.kind == ColumnKind::list) return fmt::format("('{{' || u.c{} || '}}')::int8[]", place);
  return fmt::format("u.c{}", place);
}

ImageValue image_value(const Row& row, int place, ColumnKind kind) {
  if (row.is_null(place)) return {};
  switch (kind) {
    case ColumnKind::number:
    case ColumnKind::flag: return row.number(place);
    case ColumnKind::text:
    case ColumnKind::list: return row.text(place);
    case ColumnKind::bytes: return ImageBytes{row.text(place)};
  }
  return {};
}

struct OpenedTransaction {
  std::unique_ptr<Connection> connection;
  std::unique_ptr<Transaction> transaction;  // goes first
};

Result<OpenedTransaction> open_transaction(const postgres::StoreUrl& url, Transaction::Kind kind) {
  OpenedTransaction opened;
  opened.connection = TRY(Connection::open(url, copy_limits));
  TRY(postgres::expect_present_schema(*opened.connection, url.schema));
  opened.transaction = std::make_unique<Transaction>(
      *opened.connection, kind, postgres::TransactionSettings{.schema = url.schema, .limits = copy_limits});
  return opened;
}

Result<> expect_unused(Transaction& transaction, const std::string& description) {
  const auto answer = TRY(transaction.query(
      "SELECT EXISTS (SELECT FROM presence WHERE decided_at > store_now() - $1), EXISTS (SELECT FROM server WHERE "
      "seen_at > store_now() - $2)",
      Parameters{deciding_lately, server_gone_after}));
  if (!answer[0].flag(0) && !answer[0].flag(1)) return {};
  auto error = fail(ErrorCode::conflict, "{}: servers are using the store", description);
  error.error().rule = "store-in-use";
  error.error().hint = "stop them (carillon system lists them) and wait 30 s for those that were killed";
  return error;
}

class PostgresImageReader final : public rows::ImageReader {
 public:
  explicit PostgresImageReader(OpenedTransaction opened) : opened_{std::move(opened)} {}

  Result<ImageCounters> read_counters() override {
    Transaction& transaction = *opened_.transaction;
    const auto given = [](const char* sequence) {
      return fmt::format("(SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM {})", sequence);
    };
    const auto found = TRY(transaction.query(fmt::format(
        "SELECT {}, {}, {}, z.edition::int8, z.settled_edition::int8, f.position, greatest(f.newest_at, (SELECT "
        "coalesce(max(at), 0) FROM feed)), p.decided_at, a.count, a.digest, {} FROM zone z, feed_head f, presence p, "
        "audit_head a",
        given("ledger_seq"), given("uid_seq"), given("session_seq"), given("lock_fence"))));
    const Row row = found[0];
    const auto fresh = TRY(transaction.query("SELECT coalesce(sum(count), 0)::int8 FROM feed WHERE position IS NULL"));
    return ImageCounters{.seq = row.count(0),
                         .uid = row.count(1),
                         .session = row.count(2),
                         .zone_edition = row.count(3),
                         .settled_edition = row.count(4),
                         .feed_position = row.count(5) + fresh[0].count(0),
                         .newest_write = row.number(6),
                         .decided_at = row.number_if(7),
                         .audit_count = row.count(8),
                         .audit_digest = row.text(9),
                         .lock_fence = row.count(10)};
  }

  Result<> read_rows(const ImageTable& table, const std::function<Result<>(std::span<const ImageRow>)>& take) override {
    Transaction& transaction = *opened_.transaction;
    std::string columns;
    for (const ImageColumn& column : table.columns) columns += (columns.empty() ? "" : ", ") + read_expression(column);
    TRY(transaction.query(fmt::format("DECLARE image NO SCROLL CURSOR FOR SELECT {} FROM {} ORDER BY {}", columns,
                                      table.name, table.columns.front().name)));
    for (;;) {
      const ResultRows found = TRY(transaction.query(fmt::format("FETCH {} FROM image", rows::image_page_size)));
      std::vector<ImageRow> page;
      for (const Row row : found) {
        ImageRow image;
        for (std::size_t i = 0; i < table.columns.size(); ++i)
          image.push_back(image_value(row, static_cast<int>(i), table.columns[i].kind));
        page.push_back(std::move(image));
      }
      if (!page.empty()) TRY(take(page));
      if (page.size() < rows::image_page_size) break;
    }
    TRY(transaction.query("CLOSE image"));
    return {};
  }

 private:
  OpenedTransaction opened_;
};

class PostgresImageWriter final : public rows::ImageWriter {
 public:
  explicit PostgresImageWriter(OpenedTransaction opened) : opened_{std::move(opened)} {}

  Result<> write_rows(const ImageTable& table, std::span<const ImageRow> page) override {
    Parameters values;
    std::string names;
    std::string expressions;
    std::string arrays;
    std::string aliases;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const ImageColumn& column = table.columns[i];
      const char* comma = i == 0 ? "" : ", ";
      names += fmt::format("{}{}", comma, column.name);
      expressions += comma + write_expression(column, i);
      arrays += fmt::format("{}${}", comma, i + 1);
      aliases += fmt::format("{}c{}", comma, i);
      add_column(values, page, i, column.kind);
    }
    TRY(opened_.transaction->query(fmt::format("INSERT INTO {}({}) SELECT {} FROM unnest({}) AS u({})", table.name,
                                               names, expressions, arrays, aliases),
                                   values));
    return {};
  }

  Result<> finish(const ImageCounters& counters) override {
    Transaction& transaction = *opened_.transaction;
    const auto give_out = [&](const char* sequence, std::int64_t last) {
      transaction.send(fmt::format("SELECT setval('{}', greatest($1, 1), $1 > 0)", sequence), Parameters{last});
    };
    give_out("ledger_seq", counters.seq);
    give_out("uid_seq", counters.uid);
    give_out("session_seq", counters.session);
    give_out("lock_fence", counters.lock_fence);
    transaction.send("UPDATE zone SET edition = $1, settled_edition = $2",
                     Parameters{counters.zone_edition, counters.settled_edition});
    transaction.send("UPDATE presence SET decided_at = $1", Parameters{counters.decided_at});
    transaction.send("UPDATE feed_head SET position = $1, newest_at = $2",
                     Parameters{counters.feed_position, counters.newest_write});
    transaction.send("UPDATE audit_head SET count = $1, digest = $2",
                     Parameters{counters.audit_count, counters.audit_digest});
    TRY(transaction.commit());
    return {};
  }

 private:
  static void add_column(Parameters& values, std::span<const ImageRow> page, std::size_t place, ColumnKind kind) {
    if (kind == ColumnKind::number || kind == ColumnKind::flag)
      values.column(page, [&](const ImageRow& row) -> std::optional<std::int64_t> {
        const auto* number = std::get_if<std::int64_t>(&row[place]);
        return number == nullptr ? std::nullopt : std::optional{*number};
      });
    else if (kind == ColumnKind::bytes)
      values.column(page, [&](const ImageRow& row) -> std::optional<Blob> {
        const auto* bytes = std::get_if<ImageBytes>(&row[place]);
        return bytes == nullptr ? std::nullopt : std::optional{Blob{bytes->bytes}};
      });
    else
      values.column(page, [&](const ImageRow& row) -> std::optional<std::string_view> {
        const auto* text = std::get_if<std::string>(&row[place]);
        return text == nullptr ? std::nullopt : std::optional{std::string_view{*text}};
      });
  }

  OpenedTransaction opened_;
};

}  // namespace

Result<std::unique_ptr<rows::ImageReader>> PostgresImage::open_reader(const postgres::StoreUrl& url) {
  OpenedTransaction opened = TRY(open_transaction(url, Transaction::Kind::read));
  TRY(expect_unused(*opened.transaction, url.description));
  return std::make_unique<PostgresImageReader>(std::move(opened));
}

Result<std::unique_ptr<rows::ImageWriter>> PostgresImage::open_writer(const postgres::StoreUrl& url,
                                                                      const std::string& run_id_key) {
  OpenedTransaction opened = TRY(open_transaction(url, Transaction::Kind::write));
  Transaction& transaction = *opened.transaction;
  // Whoever wants to begin here waits until the copy is there.
  transaction.send("LOCK TABLE schedule, state, ledger, token, audit_head, shared_key IN ACCESS EXCLUSIVE MODE");
  const auto used = TRY(transaction.query(
      "SELECT EXISTS (SELECT FROM schedule) OR EXISTS (SELECT FROM ledger) OR EXISTS (SELECT FROM token) OR EXISTS "
      "(SELECT FROM audit_head WHERE count > 0) OR EXISTS (SELECT FROM shared_key)"));
  if (used[0].flag(0)) return rows::not_empty(url.description + ", schema " + url.schema);
  if (!run_id_key.empty())
    TRY(transaction.query("INSERT INTO shared_key VALUES ('run-id', $1)", Parameters{Blob{run_id_key}}));
  return std::make_unique<PostgresImageWriter>(std::move(opened));
}

Result<std::string> PostgresImage::read_run_id_key(const postgres::StoreUrl& url) {
  OpenedTransaction opened = TRY(open_transaction(url, Transaction::Kind::read));
  const auto found = TRY(opened.transaction->query("SELECT value FROM shared_key WHERE name = 'run-id'"));
  return found.empty() ? std::string{} : found[0].text(0);
}

}  // namespace carillon
