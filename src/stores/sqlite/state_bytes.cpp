#include "stores/sqlite/state_bytes.hpp"

#include "stores/sqlite/byte_coding.hpp"

#include <algorithm>

namespace carillon::sqlite {
namespace {

constexpr std::uint64_t body_format = 1;
constexpr std::uint64_t rules_format = 1;

// What follows the fixed part of a body.
enum BodyPart : std::uint64_t {
  has_failed_mark = 1,
  deleted_at_part = 2,
  paused_at_part = 4,
  paused_until_part = 8,
  closed_until_part = 16,
  skipped_part = 32,
};

std::int64_t distance(Instant from, Instant to) {
  // Any two instants have one, modulo the range of numbers.
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(to.time_since_epoch().count()) -
                                   static_cast<std::uint64_t>(from.time_since_epoch().count()));
}

Instant moved(Instant from, std::int64_t distance) {
  return Instant{Duration{static_cast<std::int64_t>(static_cast<std::uint64_t>(from.time_since_epoch().count()) +
                                                    static_cast<std::uint64_t>(distance))}};
}

bool has_skips(const Counts& counts) {
  return std::ranges::any_of(counts.skipped, [](std::int64_t count) { return count != 0; });
}

std::uint64_t parts_of(const ScheduleState& state) {
  std::uint64_t parts = 0;
  if (state.has_failed) parts |= has_failed_mark;
  if (state.deleted_at) parts |= deleted_at_part;
  if (state.paused_at) parts |= paused_at_part;
  if (state.paused_until) parts |= paused_until_part;
  if (state.closed_until != Instant{}) parts |= closed_until_part;
  if (has_skips(state.counts)) parts |= skipped_part;
  return parts;
}

std::unexpected<Error> unreadable(std::string_view what) {
  return fail(ErrorCode::corrupt, "the stored {} cannot be read", what);
}

}  // namespace

// Times are near the cursor, so that their distance to it is short.
void write_body(const ScheduleState& state, std::string& out) {
  out.clear();
  ByteWriter writer{out};
  const std::uint64_t parts = parts_of(state);
  writer.number(body_format);
  writer.number(parts);
  writer.number(static_cast<std::uint64_t>(state.status));
  writer.signed_number(state.cursor.time_since_epoch().count());
  writer.signed_number(distance(state.cursor, state.created_at));
  writer.signed_number(distance(state.cursor, state.started_until));
  writer.signed_number(distance(state.cursor, state.skipped_until));
  writer.signed_number(state.cursor_offset);
  writer.signed_number(static_cast<std::int64_t>(state.zone_edition));
  writer.signed_number(state.backfill_count);
  writer.signed_number(static_cast<std::int64_t>(state.last_success));
  const Counts& counts = state.counts;
  for (const std::int64_t count :
       {counts.runs, counts.successes, counts.errors, counts.repeats, counts.consecutive_failures})
    writer.signed_number(count);
  if (state.deleted_at) writer.signed_number(distance(state.cursor, *state.deleted_at));
  if (state.paused_at) writer.signed_number(distance(state.cursor, *state.paused_at));
  if (state.paused_until) writer.signed_number(distance(state.cursor, *state.paused_until));
  if ((parts & closed_until_part) != 0) writer.signed_number(distance(state.cursor, state.closed_until));
  if ((parts & skipped_part) == 0) return;
  for (const std::int64_t count : counts.skipped) writer.signed_number(count);
}

Result<> read_body(std::string_view bytes, ScheduleState& state) {
  ByteReader reader{bytes};
  if (reader.number() != body_format) return unreadable("state of a schedule");
  const std::uint64_t parts = reader.number();
  const std::uint64_t status = reader.number();
  if (status > static_cast<std::uint64_t>(ScheduleStatus::dead)) return unreadable("state of a schedule");
  state.status = static_cast<ScheduleStatus>(status);
  state.has_failed = (parts & has_failed_mark) != 0;
  state.cursor = Instant{Duration{reader.signed_number()}};
  const auto next_instant = [&] { return moved(state.cursor, reader.signed_number()); };
  state.created_at = next_instant();
  state.started_until = next_instant();
  state.skipped_until = next_instant();
  state.cursor_offset = static_cast<std::int32_t>(reader.signed_number());
  state.zone_edition = static_cast<ZoneEdition>(reader.signed_number());
  state.backfill_count = reader.signed_number();
  state.last_success = static_cast<Seq>(reader.signed_number());
  Counts& counts = state.counts;
  for (std::int64_t* count :
       {&counts.runs, &counts.successes, &counts.errors, &counts.repeats, &counts.consecutive_failures})
    *count = reader.signed_number();
  if ((parts & deleted_at_part) != 0) state.deleted_at = next_instant();
  if ((parts & paused_at_part) != 0) state.paused_at = next_instant();
  if ((parts & paused_until_part) != 0) state.paused_until = next_instant();
  if ((parts & closed_until_part) != 0) state.closed_until = next_instant();
  if ((parts & skipped_part) != 0)
    for (std::int64_t& count : counts.skipped) count = reader.signed_number();
  if (!reader.is_done()) return unreadable("state of a schedule");
  return {};
}

std::string rules_bytes(const RunRules& rules) {
  std::string out;
  ByteWriter writer{out};
  const Policies::Retry& retry = rules.retry;
  // None is 0, so that what is there is one more than it is.
  const auto optional = [&](const std::optional<Duration>& value) {
    writer.number(value ? static_cast<std::uint64_t>(value->count()) + 1 : 0);
  };
  writer.number(rules_format);
  writer.signed_number(retry.attempt_count_max);
  writer.number(static_cast<std::uint64_t>(retry.backoff));
  writer.signed_number(retry.initial.count());
  writer.real(retry.factor);
  optional(retry.delay_max);
  writer.real(retry.jitter);
  writer.number(retry.on_lost ? (*retry.on_lost ? 2 : 1) : 0);
  writer.number(rules.retries_when_lost ? 1 : 0);
  optional(rules.start_deadline);
  return out;
}

Result<RunRules> read_rules(std::string_view bytes) {
  ByteReader reader{bytes};
  const auto optional = [&]() -> std::optional<Duration> {
    const std::uint64_t value = reader.number();
    return value == 0 ? std::nullopt : std::optional{Duration{static_cast<std::int64_t>(value - 1)}};
  };
  if (reader.number() != rules_format) return unreadable("rules of a job");
  RunRules rules{};
  Policies::Retry& retry = rules.retry;
  retry.attempt_count_max = reader.signed_number();
  const std::uint64_t backoff = reader.number();
  if (backoff > static_cast<std::uint64_t>(Backoff::exponential)) return unreadable("rules of a job");
  retry.backoff = static_cast<Backoff>(backoff);
  retry.initial = Duration{reader.signed_number()};
  retry.factor = reader.real();
  retry.delay_max = optional();
  retry.jitter = reader.real();
  if (const std::uint64_t on_lost = reader.number(); on_lost != 0) retry.on_lost = on_lost == 2;
  rules.retries_when_lost = reader.number() != 0;
  rules.start_deadline = optional();
  if (!reader.is_done()) return unreadable("rules of a job");
  return rules;
}

}  // namespace carillon::sqlite
