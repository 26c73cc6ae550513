#include "stores/sqlite/audit_rows.hpp"

#include "ports/audit_digest.hpp"

#include <limits>

namespace carillon::sqlite {
namespace {

#define CARILLON_AUDIT_QUERY                                                                                    \
  "SELECT number, at, actor, address, operation, namespace, target, outcome, document_before, document_after, " \
  "digest FROM audit "

AuditRecord read_record(const Cursor& row) {
  const auto text = [&row](int column) { return std::string{row.text(column)}; };
  return {.number = row.number(0),
          .at = row.instant(1),
          .entry = {.actor = text(2),
                    .address = text(3),
                    .operation = text(4),
                    .name_space = text(5),
                    .target = text(6),
                    .outcome = text(7),
                    .before = text(8),
                    .after = text(9)},
          .digest = text(10)};
}

}  // namespace

AuditRows::AuditRows(Connection& connection)
    : newest_{connection, "SELECT number, digest FROM audit ORDER BY number DESC LIMIT 1"},
      insert_{connection, "INSERT INTO audit VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)"},
      all_{connection, CARILLON_AUDIT_QUERY "WHERE number < ?1 ORDER BY number DESC LIMIT ?2"},
      of_namespace_{connection,
                    CARILLON_AUDIT_QUERY "WHERE namespace = ?3 AND number < ?1 ORDER BY number DESC LIMIT ?2"},
      in_order_{connection, CARILLON_AUDIT_QUERY "ORDER BY number"} {}

Result<> AuditRows::append(const AuditEntry& entry, Instant now) {
  AuditRecord record{.number = 1, .at = now, .entry = entry, .digest = {}};
  {
    Cursor newest = newest_.query();
    std::string previous;
    if (TRY(newest.next())) {
      record.number = newest.number(0) + 1;
      previous = newest.text(1);
    }
    record.digest = digest_of(record, previous);
  }
  return insert_.run(record.number, record.at, entry.actor, entry.address, entry.operation, entry.name_space,
                     entry.target, entry.outcome, entry.before, entry.after, record.digest);
}

Result<std::vector<AuditRecord>> AuditRows::read(std::optional<std::int64_t> before,
                                                 const std::optional<std::string>& name_space, std::size_t count_max) {
  const std::int64_t end = before.value_or(std::numeric_limits<std::int64_t>::max());
  std::vector<AuditRecord> records;
  Cursor row =
      name_space ? of_namespace_.query(end, limit_of(count_max), *name_space) : all_.query(end, limit_of(count_max));
  while (TRY(row.next())) records.push_back(read_record(row));
  return records;
}

Result<std::optional<std::int64_t>> AuditRows::find_broken() {
  std::int64_t expected = 1;
  std::string previous;
  Cursor row = in_order_.query();
  while (TRY(row.next())) {
    AuditRecord record = read_record(row);
    if (record.number != expected || record.digest != digest_of(record, previous)) return expected;
    previous = std::move(record.digest);
    ++expected;
  }
  return std::nullopt;
}

}  // namespace carillon::sqlite
