#pragma once

#include "base/instant.hpp"
#include "definitions/words.hpp"
#include "engine/keys.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace carillon {

// Lines of the ledger as it is exported: what happened, in order, for people and checkers. A line keeps its seq: when a
// decision or an attempt changes, its line is exported with the newest values.

struct LineHead {
  Seq seq{};
  Instant at;  // by the store's clock, of the last change
  NamespaceId name_space;
  ScheduleId schedule;
  std::int64_t incarnation = 0;  // number of the schedule among those that had this id one after the other
};

struct DecisionLine {
  LineHead head;
  std::string server;
  std::int64_t revision = 0;
  std::int64_t version = 0;  // decided from
  Instant nominal;
  Instant due;
  Source source = Source::schedule;
  DecisionOutcome outcome = DecisionOutcome::waiting;
  std::optional<SkipReason> reason;
  std::optional<std::string> run;  // name
  std::optional<Instant> waited_from;
  std::optional<Instant> ended_at;
};

struct RangeLine {
  LineHead head;
  std::int64_t revision = 0;
  Instant from;
  Instant to;
  std::int64_t count = 0;
  SkipReason reason = SkipReason::missed;
};

struct AttemptLine {
  LineHead head;
  std::string run;
  std::int64_t attempt = 0;
  std::string worker;
  AttemptState state = AttemptState::claimed;
  Instant claimed_at;
  std::optional<Instant> launched_at;
  std::optional<Instant> ended_at;
  std::optional<std::int64_t> exit_code;
  std::string reason;
  std::optional<Instant> claimable_from;
};

struct ChangeLine {
  LineHead head;
  std::int64_t revision = 0;
  ChangeKind kind = ChangeKind::created;
  std::string by;
  std::optional<std::string> document;  // canonical JSON
  std::string reason{};                 // of a pause or its end; not part of the exported line, as the next
  std::optional<Instant> until{};       // of a pause
};

struct BackfillLine {
  LineHead head;
  std::string id;
  Instant from;
  Instant to;
  BackfillState state = BackfillState::running;
  std::int64_t done = 0;
  std::int64_t total = 0;
};

struct VoidLine {
  LineHead head;
  Instant from;
  Instant to;
  SkipReason reason = SkipReason::clock;
};

/// A line about the store as a whole, not about one schedule.
struct OutageLine {
  struct Head {
    Seq seq{};
    Instant at;
  } head;
  Instant from;
  Instant to;
  OutageCause cause = OutageCause::down;
};

using LedgerRecord = std::variant<DecisionLine, RangeLine, AttemptLine, ChangeLine, BackfillLine, VoidLine, OutageLine>;

[[nodiscard]] Seq seq_of(const LedgerRecord& record);
/// Null for a line that is not about a schedule.
[[nodiscard]] const LineHead* head_of(const LedgerRecord& record);

/// One line of the export, without the newline.
[[nodiscard]] std::string to_json(const LedgerRecord& record);

}  // namespace carillon
