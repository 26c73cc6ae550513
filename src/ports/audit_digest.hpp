#pragma once

#include "base/crypto.hpp"
#include "ports/audit_log.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace carillon {

/// What a record's digest is in every store: SHA-256, in hex, over the digest of the record before (empty for the
/// first), the number, the time in microseconds and the members of the entry in their order, each as its length in
/// bytes, a colon and the text.
[[nodiscard]] inline std::string digest_of(const AuditRecord& record, std::string_view previous) {
  const AuditEntry& entry = record.entry;
  std::string covered;
  const auto add = [&](std::string_view text) { covered += fmt::format("{}:{}", text.size(), text); };
  add(previous);
  add(std::to_string(record.number));
  add(std::to_string(record.at.time_since_epoch().count()));
  for (const std::string* member : {&entry.actor, &entry.address, &entry.operation, &entry.name_space, &entry.target,
                                    &entry.outcome, &entry.before, &entry.after})
    add(*member);
  return sha256_hex(covered);
}

[[nodiscard]] inline AuditBreak changed_record(std::int64_t number) {
  return {.number = number, .reason = fmt::format("record {} is not as it was written", number)};
}

}  // namespace carillon
