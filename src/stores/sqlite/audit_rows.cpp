#include "stores/sqlite/audit_rows.hpp"

#include "ports/audit_digest.hpp"
#include "stores/sqlite/audit_seal.hpp"

#include <limits>

namespace carillon::sqlite {
namespace {

#define CARILLON_AUDIT_QUERY                                                                                    \
  "SELECT number, at, actor, address, operation, namespace, target, outcome, document_before, document_after, " \
  "digest FROM audit "

AuditRecord read_record(const Cursor& row) {
  const auto text = [&row](int column) { return std::string{row.text(column)}; };
  return {.number = row.count(0),
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

AuditBreak missing(std::int64_t first, std::int64_t last) {
  return {.number = first,
          .reason = first == last ? fmt::format("record {} is missing", first)
                                  : fmt::format("records {} to {} are missing", first, last)};
}

}  // namespace

AuditRows::AuditRows(Connection& connection, const std::string& key)
    : connection_{connection},
      key_{key},
      head_{connection, "SELECT audit_count, audit_head, audit_seal FROM meta"},
      save_{connection, "UPDATE meta SET audit_count = ?1, audit_head = ?2, audit_seal = ?3"},
      insert_{connection, "INSERT INTO audit VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)"},
      all_{connection, CARILLON_AUDIT_QUERY "WHERE number < ?1 ORDER BY number DESC LIMIT ?2"},
      of_namespace_{connection,
                    CARILLON_AUDIT_QUERY "WHERE namespace = ?3 AND number < ?1 ORDER BY number DESC LIMIT ?2"},
      in_order_{connection, CARILLON_AUDIT_QUERY "ORDER BY number"} {}

Result<> AuditRows::append(const AuditEntry& entry, Instant now) {
  // Not after the newest row: where rows were taken away, a gap stays.
  const AuditHead before = appended_ ? *appended_ : TRY(checked_head());
  AuditRecord record{.number = before.count + 1, .at = now, .entry = entry, .digest = {}};
  record.digest = digest_of(record, before.digest);
  TRY(insert_.run(record.number, record.at, entry.actor, entry.address, entry.operation, entry.name_space, entry.target,
                  entry.outcome, entry.before, entry.after, record.digest));
  appended_ = {.count = record.number, .digest = std::move(record.digest)};
  return {};
}

Result<> AuditRows::save_appended() { return appended_ ? save(*appended_) : Result<>{}; }

Result<AuditHead> AuditRows::head() {
  Cursor row = head_.query();
  if (!TRY(row.next()))
    return fail(ErrorCode::corrupt, "{}: the row of table meta is missing", connection_.file().string());
  return AuditHead{.count = row.count(0), .digest = std::string{row.text(1)}};
}

Result<AuditHead> AuditRows::checked_head() {
  Cursor row = head_.query();
  if (!TRY(row.next()))
    return fail(ErrorCode::corrupt, "{}: the row of table meta is missing", connection_.file().string());
  AuditHead found{.count = row.count(0), .digest = std::string{row.text(1)}};
  const std::string_view seal = row.text(2);
  if (!key_.empty() && !seal.empty() && seal != seal_of(found, key_)) misfit_ = std::string{seal};
  return found;
}

Result<> AuditRows::save(const AuditHead& head) {
  return save_.run(head.count, head.digest, misfit_ ? *misfit_ : seal_of(head, key_));
}

Result<bool> AuditRows::seal() {
  bool had_seal = false;
  {
    Cursor row = head_.query();
    had_seal = TRY(row.next()) && !row.text(2).empty();
  }
  TRY(save(TRY(head())));
  return had_seal;
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

Result<std::optional<AuditBreak>> AuditRows::find_broken() {
  AuditHead found;
  Cursor row = in_order_.query();
  while (TRY(row.next())) {
    AuditRecord record = read_record(row);
    const std::int64_t expected = found.count + 1;
    if (record.number != expected) return missing(expected, record.number - 1);
    if (record.digest != digest_of(record, found.digest)) return changed_record(expected);
    found = {.count = expected, .digest = std::move(record.digest)};
  }
  return check_end(found);
}

Result<std::optional<AuditBreak>> AuditRows::check_end(const AuditHead& found) {
  const AuditHead written = TRY(head());
  if (found.count < written.count) return missing(found.count + 1, written.count);
  if (found.count > written.count)
    return AuditBreak{.number = written.count + 1,
                      .reason = fmt::format("record {} was not written by a server", written.count + 1)};
  if (found.digest != written.digest) return changed_record(found.count);
  if (key_.empty()) return std::nullopt;
  Cursor row = head_.query();
  if (TRY(row.next()) && row.text(2) == seal_of(written, key_)) return std::nullopt;
  return AuditBreak{.number = 1,
                    .reason = "the seal of the log does not fit its key: any record may have been changed or removed"};
}

}  // namespace carillon::sqlite
