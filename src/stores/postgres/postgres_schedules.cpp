#include "stored_rows/row_flags.hpp"
#include "stores/postgres/schedule_views.hpp"
#include "stores/postgres/store_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace carillon {
namespace {

using postgres::Parameters;
using postgres::ResultRows;
using postgres::Row;
using postgres::Transaction;

/// Several servers look at all parts at once only while nothing is due for so long: the first wake time of all says too
/// little of each part.
constexpr Duration quiet_min = std::chrono::seconds{10};

struct WakeRow {
  Instant at;
  Uid uid{};
  bool is_zoned = false;
};

/// Wake times in their order, read a piece at a time.
class WakeRows {
 public:
  WakeRows(Transaction& transaction, const WakePlace& after, std::size_t piece)
      : transaction_{transaction}, last_{after}, piece_{postgres::row_limit(piece)} {}

  /// The next one after `place` of those before, or none.
  [[nodiscard]] Result<const WakeRow*> at(std::size_t place) {
    while (place >= rows_.size()) {
      if (is_at_end_) return nullptr;
      send();
      take(TRY(transaction_.collect()).back());
    }
    return &rows_[place];
  }
  void send() {
    transaction_.send(
        "SELECT wake_at, uid, flags & 4 <> 0 FROM state WHERE (wake_at, uid) > ($1, $2) AND flags & 2 = 0 "
        "ORDER BY wake_at, uid LIMIT $3",
        Parameters{last_.wake, last_.uid, piece_});
  }
  void take(const ResultRows& rows) {
    for (const Row row : rows) rows_.push_back({.at = row.instant(0), .uid = row.as<Uid>(1), .is_zoned = row.flag(2)});
    is_at_end_ = rows.size() < static_cast<std::size_t>(piece_);
    if (!rows_.empty()) last_ = {.wake = rows_.back().at, .uid = rows_.back().uid};
    piece_ = std::max<std::int64_t>(piece_, 1'000);
  }

 private:
  Transaction& transaction_;
  WakePlace last_;
  std::int64_t piece_;
  bool is_at_end_ = false;
  std::vector<WakeRow> rows_;
};

enum class ServerPart { own, others };

// Goes by wake time until it meets one that is not handed out: the time to look again lies there, and nothing behind it
// can be earlier.
Result<> take_due(WakeRows& wakes, const DueRequest& request, ServerPart part, DueSchedules& due,
                  std::vector<Uid>& uids) {
  const Duration lateness = part == ServerPart::own ? Duration{0} : overdue_for_all;
  const bool has_rules = request.rules == due.zone_edition;
  for (std::size_t place = 0;; ++place) {
    const WakeRow* wake = TRY(wakes.at(place));
    if (wake == nullptr || (due.next_wake && wake->at >= *due.next_wake)) return {};
    if (is_in(request.share, wake->uid) != (part == ServerPart::own)) continue;
    if (wake->is_zoned && !has_rules) continue;
    if (wake->at + lateness <= due.store_now && uids.size() < request.count_max) {
      uids.push_back(wake->uid);
    } else {
      due.next_wake = std::min(wake->at + lateness, due.next_wake.value_or(wake->at + lateness));
      return {};
    }
  }
}

ZoneEdition edition_of(const Row& row, int column) { return static_cast<ZoneEdition>(row.count(column)); }

}  // namespace

// Most looks find nothing: then one statement has told when to look again. None if there may be something.
Result<std::optional<DueSchedules>> PostgresStore::read_nothing_due(const DueRequest& request) {
  const auto rows = TRY(ask(
      fmt::format("SELECT {0}.store_now(), edition, (SELECT wake_at FROM {0}.state WHERE wake_at IS NOT NULL AND flags "
                  "& 2 = 0 ORDER BY wake_at LIMIT 1), o.seq, o.first, o.last, o.cause FROM {0}.zone LEFT JOIN LATERAL "
                  "(SELECT seq, first, last, cause FROM {0}.outage ORDER BY seq DESC LIMIT $1) o ON true",
                  url_.schema),
      Parameters{outages_told_max}));
  DueSchedules due{};
  due.store_now = rows[0].instant(0);
  due.zone_edition = edition_of(rows[0], 1);
  due.next_wake = rows[0].instant_if(2);
  if (!rows[0].is_null(3)) due.outages = postgres::read_outage_rows(rows, 3);
  const Instant needed = due.store_now + (request.share.count == 1 ? Duration{0} : quiet_min);
  const bool is_certain = request.rules == due.zone_edition && (!due.next_wake || *due.next_wake > needed);
  return is_certain ? std::optional{std::move(due)} : std::nullopt;
}

Result<DueSchedules> PostgresStore::read_due(const DueRequest& request) {
  // In the middle of much, a look from the beginning tells nothing.
  if (!request.after && (request.share.count == 1 || is_quiet_))
    if (auto nothing = TRY(read_nothing_due(request))) return *std::move(nothing);
  auto due = read_due_views(request);
  if (due) is_quiet_ = !due->next_wake || *due->next_wake > due->store_now + quiet_min;
  return due;
}

Result<DueSchedules> PostgresStore::read_due_views(const DueRequest& request) {
  return read<DueSchedules>([&](Transaction& transaction) -> Result<DueSchedules> {
    DueSchedules due{};
    const WakePlace after = request.after.value_or(WakePlace{.wake = instant_min});
    WakeRows wakes{transaction, after, request.count_max + 1};
    transaction.send("SELECT store_now(), edition FROM zone");
    transaction.send(postgres::newest_outages_query, Parameters{outages_told_max});
    wakes.send();
    const auto answers = TRY(transaction.collect());
    due.store_now = answers[0][0].instant(0);
    due.zone_edition = edition_of(answers[0][0], 1);
    due.outages = postgres::read_outage_rows(answers[1]);
    wakes.take(answers[2]);
    std::vector<Uid> uids;
    TRY(take_due(wakes, request, ServerPart::own, due, uids));
    if (request.share.count > 1) TRY(take_due(wakes, request, ServerPart::others, due, uids));
    due.views = TRY(postgres::read_views(transaction, uids));
    return due;
  });
}

Result<ScheduleLookup> PostgresStore::find(const ScheduleKey& key) {
  return read<ScheduleLookup>([&](Transaction& transaction) -> Result<ScheduleLookup> {
    transaction.send("SELECT store_now(), edition FROM zone");
    transaction.send(postgres::newest_outages_query, Parameters{outages_told_max});
    transaction.send(postgres::bearer_query, Parameters{key.name_space.text(), postgres::compared_id(key.id.text())});
    const auto answers = TRY(transaction.collect());
    ScheduleLookup found{.store_now = answers[0][0].instant(0),
                         .zone_edition = edition_of(answers[0][0], 1),
                         .view = {},
                         .outages = postgres::read_outage_rows(answers[1])};
    if (answers[2].empty()) return found;
    const Uid uid = answers[2][0].as<Uid>(0);
    auto views = TRY(postgres::read_views(transaction, std::span{&uid, 1}));
    if (!views.empty()) found.view = std::move(views.front());
    return found;
  });
}

Result<ScheduleScanPage> PostgresStore::read_page(Uid after, std::size_t count_max) {
  return read<ScheduleScanPage>([&](Transaction& transaction) -> Result<ScheduleScanPage> {
    transaction.send(
        "SELECT store_now(), edition, settled_edition, (SELECT greatest((SELECT newest_at FROM feed_head), "
        "(SELECT max(at) FROM feed WHERE position IS NULL), (SELECT decided_at FROM presence))), "
        "(SELECT decided_at FROM presence) FROM zone");
    transaction.send(postgres::newest_outages_query, Parameters{outages_told_max});
    transaction.send("SELECT uid FROM state WHERE uid > $1 AND flags & 2 = 0 ORDER BY uid LIMIT $2",
                     Parameters{after, postgres::row_limit(count_max)});
    const auto answers = TRY(transaction.collect());
    const Row head = answers[0][0];
    std::vector<Uid> uids;
    for (const Row row : answers[2]) uids.push_back(row.as<Uid>(0));
    return ScheduleScanPage{.store_now = head.instant(0),
                            .zone_edition = edition_of(head, 1),
                            .settled_edition = edition_of(head, 2),
                            .newest_write = head.instant(3),
                            .views = TRY(postgres::read_views(transaction, uids)),
                            .outages = postgres::read_outage_rows(answers[1]),
                            .decided_at = head.instant_if(4)};
  });
}

Result<std::vector<std::optional<StoredDefinition>>> PostgresStore::read_definitions(
    std::span<const DefinitionName> names) {
  using Definitions = std::vector<std::optional<StoredDefinition>>;
  return read<Definitions>([&](Transaction& transaction) -> Result<Definitions> {
    Definitions definitions(names.size());
    Parameters values;
    values.column(names, [](const DefinitionName& name) { return name.uid; });
    values.column(names, [](const DefinitionName& name) { return name.revision; });
    const auto found = TRY(transaction.query(
        "SELECT u.place, s.namespace, s.id, s.incarnation, s.created_at, d.document FROM unnest($1, $2) WITH "
        "ORDINALITY "
        "AS u(uid, revision, place) JOIN schedule s ON s.uid = u.uid CROSS JOIN LATERAL (SELECT document FROM "
        "definition d WHERE d.uid = u.uid AND d.revision <= u.revision ORDER BY d.revision DESC LIMIT 1) d",
        values));
    for (const Row row : found) {
      postgres::StoredName name = TRY(postgres::read_name_row(row, 1));
      definitions.at(static_cast<std::size_t>(row.count(0) - 1)) =
          StoredDefinition{.key = std::move(name.key), .document = row.text(5), .created_at = name.created_at};
    }
    return definitions;
  });
}

Result<std::vector<PastRun>> PostgresStore::read_past_runs(Uid uid, Instant from, Instant to) {
  return read<std::vector<PastRun>>([&](Transaction& transaction) -> Result<std::vector<PastRun>> {
    const auto found = TRY(transaction.query(
        "SELECT nominal, state, source FROM ledger WHERE uid = $1 AND nominal >= $2 AND nominal < $3 AND outcome = 1 "
        "ORDER BY nominal, seq",
        Parameters{uid, from, to}));
    std::vector<PastRun> past;
    for (const Row row : found) {
      PastRun run{.nominal = row.instant(0),
                  .state = row.one_of(1, RunState::expired),
                  .is_automatic = is_automatic(row.one_of(2, Source::adhoc))};
      if (!past.empty() && past.back().nominal == run.nominal) {
        run.is_automatic |= past.back().is_automatic;
        past.back() = run;
      } else {
        past.push_back(run);
      }
    }
    return past;
  });
}

Result<std::optional<WrittenRequest>> PostgresStore::find_written(std::int64_t request) {
  using Answer = std::optional<WrittenRequest>;
  return read<Answer>([&](Transaction& transaction) -> Result<Answer> {
    const auto found =
        TRY(transaction.query("SELECT uid, revision, decision FROM request WHERE id = $1", Parameters{request}));
    if (found.empty()) return std::nullopt;
    return WrittenRequest{.uid = found[0].as<Uid>(0), .revision = found[0].count(1), .decision = found[0].as<Seq>(2)};
  });
}

Result<std::optional<std::string>> PostgresStore::read_quarantine(Uid uid) {
  using Answer = std::optional<std::string>;
  return read<Answer>([&](Transaction& transaction) -> Result<Answer> {
    const auto found = TRY(transaction.query("SELECT error FROM quarantine WHERE uid = $1", Parameters{uid}));
    return found.empty() ? Answer{} : Answer{found[0].text(0)};
  });
}

}  // namespace carillon
