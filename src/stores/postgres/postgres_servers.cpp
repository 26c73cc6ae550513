#include "stores/postgres/store_calls.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace carillon {
namespace {

using postgres::Parameters;
using postgres::Row;
using postgres::Transaction;
using postgres::WriteSet;

/// Who is gone for long is forgotten every few minutes.
constexpr std::int64_t reports_between_cleanings = 60;

std::vector<std::string> role_words(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

}  // namespace

// A statement by itself: every server says so all the time. It sees the servers as they were before.
Result<> PostgresStore::report_server(const ServerFacts& facts) {
  const auto told = TRY(
      ask(fmt::format("INSERT INTO {0}.server VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, {0}.store_now() - $10, $11, "
                      "{0}.store_now()) ON CONFLICT (id) DO UPDATE SET url = excluded.url, tzdata = excluded.tzdata, "
                      "zone_edition = excluded.zone_edition, roles = excluded.roles, running = excluded.running, "
                      "clock_offset = excluded.clock_offset, seen_at = excluded.seen_at RETURNING "
                      "ARRAY(SELECT (o.id < $1)::int4::int8 FROM {0}.server o WHERE o.id <> $1 AND o.seen_at > "
                      "{0}.store_now() - $12 AND 'scheduler' = ANY(string_to_array(o.roles, ',')))",
                      url_.schema),
          Parameters{facts.id, facts.host, facts.pid, facts.url, facts.version, facts.tzdata, facts.zone_edition,
                     fmt::format("{}", fmt::join(facts.roles, ",")), facts.running, facts.now, facts.started_at,
                     server_gone_after}));
  if (reports_++ % reports_between_cleanings == 0)
    TRY(ask(fmt::format("DELETE FROM {0}.server WHERE seen_at < {0}.store_now() - $1", url_.schema),
            Parameters{server_kept_for}));
  const auto others = told[0].numbers(0);
  share_ = ServerShare{.index = static_cast<std::uint32_t>(std::ranges::count(others, 1)),
                       .count = static_cast<std::uint32_t>(others.size()) + 1};
  return {};
}

Result<> PostgresStore::remove_server(const std::string& id) {
  return write_void([&](Transaction& transaction, WriteSet&) -> Result<> {
    transaction.send("DELETE FROM server WHERE id = $1", Parameters{id});
    TRY(transaction.commit());
    return {};
  });
}

Result<ServerList> PostgresStore::read_servers() {
  return read<ServerList>([&](Transaction& transaction) -> Result<ServerList> {
    const Moment moment = TRY(read_moment(transaction));
    transaction.send("SELECT edition FROM zone");
    transaction.send(
        "SELECT id, host, pid, url, version, tzdata, zone_edition, roles, running, clock_offset, started_at, seen_at "
        "FROM server ORDER BY started_at, id");
    const auto answers = TRY(transaction.collect());
    ServerList list{.store_now = moment.now, .zone_edition = answers[0][0].as<ZoneEdition>(0), .servers = {}};
    for (const Row row : answers[1]) {
      RegisteredServer record{.facts = {.id = row.text(0),
                                        .host = row.text(1),
                                        .pid = row.number(2),
                                        .url = row.text(3),
                                        .version = row.text(4),
                                        .tzdata = row.text(5),
                                        .zone_edition = row.as<ZoneEdition>(6),
                                        .roles = role_words(row.text(7)),
                                        .running = row.count(8),
                                        .now = {},
                                        .started_at = row.instant(10)},
                              .seen_at = row.instant(11),
                              .clock_offset = row.duration(9)};
      record.facts.now = record.seen_at - record.clock_offset;
      list.servers.push_back(std::move(record));
    }
    return list;
  });
}

}  // namespace carillon
