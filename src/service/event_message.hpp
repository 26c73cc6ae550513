#pragma once

#include "base/ids.hpp"
#include "base/instant.hpp"
#include "service/backfills.hpp"
#include "service/run_answer.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace carillon {

enum class EventKind : std::uint8_t {
  run_queued,
  run_started,
  run_finished,
  run_retrying,
  run_progress,
  occurrence_skipped,
  schedule_changed,
  backfill_progress,
  server_status,
  resync,
};
/// As contracts/ name it: `run.queued`.
[[nodiscard]] std::string_view to_text(EventKind kind);

/// What a subscriber may choose events by.
enum class EventTopic : std::uint8_t { run, occurrence, schedule, backfill, server };
[[nodiscard]] std::string_view to_text(EventTopic topic);
/// None if there is no such topic.
[[nodiscard]] std::optional<EventTopic> parse_event_topic(std::string_view word);

/// Something happened to a run, or to a decision that did not lead to one.
struct RunEvent {
  RunAnswer run;                    // as it is now, with its newest attempts
  std::optional<RunState> state{};  // that it had when it happened
};

/// How far an attempt is. It is told of what happens now, and never again.
struct ProgressEvent {
  std::string run;       // id
  std::string name;      // of the run
  std::string schedule;  // id; empty: a job without one
  std::string name_space;
  std::int64_t attempt = 0;
  RunProgress progress;
};

struct ScheduleEvent {
  ScheduleKey key;
  std::optional<ScheduleStatus> status{};  // as it is now; none: it is deleted
  std::optional<std::int64_t> revision{};
  std::optional<ChangeKind> change{};
  Instant at;
};

struct BackfillEvent {
  BackfillAnswer backfill;
};

enum class ServerStatus : std::uint8_t { running, stopping };

/// Events are missing: what is wanted must be read anew.
enum class ResyncReason : std::uint8_t {
  too_old,           // what came after the position asked for has been forgotten
  too_many,          // more happened than is told
  too_large,         // one event is too large to be sent
  unknown_position,  // the position is not one of this store
};
[[nodiscard]] std::string_view to_text(ServerStatus status);
[[nodiscard]] std::string_view to_text(ResyncReason reason);

/// One thing that subscribers are told. `position` is what a subscriber names to be told what comes after it.
struct EventMessage {
  std::int64_t position = 0;
  EventKind kind = EventKind::resync;
  std::variant<RunEvent, ProgressEvent, ScheduleEvent, BackfillEvent, ServerStatus, ResyncReason> value;
};

}  // namespace carillon
