#include "stored_rows/state_bytes.hpp"

#include "stored_rows/byte_coding.hpp"
#include "stored_rows/stored_range.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace carillon::rows {
namespace {

constexpr std::uint64_t body_format = 2;
// Has no counts for reasons that were not known then.
constexpr std::uint64_t first_body_format = 1;
constexpr std::size_t first_skip_reason_count = 11;
constexpr std::uint64_t rules_format = 1;
/// Of jobs that say themselves how often they may be lost; earlier releases have no such jobs.
constexpr std::uint64_t rules_format_with_limit = 2;

/// Seconds from UTC: clocks are nowhere further away than a day.
constexpr std::int64_t offset_max = 100'000;
constexpr double factor_max = 1e6;

// What follows the fixed part of a body.
enum BodyPart : std::uint64_t {
  has_failed_mark = 1,
  deleted_at_part = 2,
  paused_at_part = 4,
  paused_until_part = 8,
  closed_until_part = 16,
  skipped_part = 32,
  own_since_part = 64,
  starts_part = 128,
  last_failure_part = 256,
  has_note_mark = 512,
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
  if (state.own_since != state.created_at) parts |= own_since_part;
  if (state.counts.starts != 0 || state.starts_since != Seq{}) parts |= starts_part;
  if (state.last_failure != Seq{}) parts |= last_failure_part;
  if (state.has_note) parts |= has_note_mark;
  return parts;
}

bool is_possible_if(const std::optional<Instant>& instant) { return !instant || is_possible(*instant); }

bool is_possible_state(const ScheduleState& state) {
  const Counts& counts = state.counts;
  const bool has_possible_times =
      is_possible(state.cursor) && is_possible(state.created_at) && is_possible(state.started_until) &&
      is_possible(state.skipped_until) && is_possible(state.closed_until) && is_possible(state.own_since) &&
      is_possible_if(state.deleted_at) && is_possible_if(state.paused_at) && is_possible_if(state.paused_until);
  const std::array numbers{counts.runs,
                           counts.successes,
                           counts.errors,
                           counts.repeats,
                           counts.consecutive_failures,
                           state.backfill_count,
                           static_cast<std::int64_t>(state.last_success),
                           counts.starts,
                           static_cast<std::int64_t>(state.starts_since),
                           static_cast<std::int64_t>(state.last_failure)};
  return has_possible_times && std::ranges::all_of(numbers, is_possible_count) &&
         std::ranges::all_of(counts.skipped, is_possible_count);
}

bool is_possible_retry(const Policies::Retry& retry) {
  // Compared so that what is no number fails too.
  const bool has_possible_reals =
      retry.factor >= 0 && retry.factor <= factor_max && retry.jitter >= 0 && retry.jitter <= 1;
  return has_possible_reals && is_possible_count(retry.attempt_count_max) && is_possible(retry.initial) &&
         (!retry.delay_max || is_possible(*retry.delay_max));
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
  if ((parts & own_since_part) != 0) writer.signed_number(distance(state.cursor, state.own_since));
  if ((parts & starts_part) != 0) {
    writer.signed_number(counts.starts);
    writer.signed_number(static_cast<std::int64_t>(state.starts_since));
  }
  if ((parts & last_failure_part) != 0) writer.signed_number(static_cast<std::int64_t>(state.last_failure));
  if ((parts & skipped_part) == 0) return;
  for (const std::int64_t count : counts.skipped) writer.signed_number(count);
}

Result<> read_body(std::string_view bytes, ScheduleState& state) {
  ByteReader reader{bytes};
  const std::uint64_t format = reader.number();
  if (format != body_format && format != first_body_format) return unreadable("state of a schedule");
  const std::size_t reason_count = format == body_format ? skip_reason_count : first_skip_reason_count;
  const std::uint64_t parts = reader.number();
  const std::uint64_t status = reader.number();
  if (status > static_cast<std::uint64_t>(ScheduleStatus::dead)) return unreadable("state of a schedule");
  state.status = static_cast<ScheduleStatus>(status);
  state.has_failed = (parts & has_failed_mark) != 0;
  state.has_note = (parts & has_note_mark) != 0;
  state.cursor = Instant{Duration{reader.signed_number()}};
  const auto next_instant = [&] { return moved(state.cursor, reader.signed_number()); };
  state.created_at = next_instant();
  state.started_until = next_instant();
  state.skipped_until = next_instant();
  const std::int64_t offset = reader.signed_number();
  const std::int64_t edition = reader.signed_number();
  state.cursor_offset = static_cast<std::int32_t>(offset);
  state.zone_edition = static_cast<ZoneEdition>(edition);
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
  state.own_since = (parts & own_since_part) != 0 ? next_instant() : state.created_at;
  if ((parts & starts_part) != 0) {
    counts.starts = reader.signed_number();
    state.starts_since = static_cast<Seq>(reader.signed_number());
  }
  if ((parts & last_failure_part) != 0) state.last_failure = static_cast<Seq>(reader.signed_number());
  if ((parts & skipped_part) != 0)
    for (std::size_t reason = 0; reason < reason_count; ++reason) counts.skipped[reason] = reader.signed_number();
  const bool is_possible_zone =
      std::in_range<std::int32_t>(edition) && edition >= 0 && offset >= -offset_max && offset <= offset_max;
  if (!reader.is_done() || !is_possible_zone || !is_possible_state(state)) return unreadable("state of a schedule");
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
  const bool has_own_limit = rules.lost_max != lost_max_default;
  writer.number(has_own_limit ? rules_format_with_limit : rules_format);
  writer.signed_number(retry.attempt_count_max);
  writer.number(static_cast<std::uint64_t>(retry.backoff));
  writer.signed_number(retry.initial.count());
  writer.real(retry.factor);
  optional(retry.delay_max);
  writer.real(retry.jitter);
  writer.number(retry.on_lost ? (*retry.on_lost ? 2 : 1) : 0);
  writer.number(rules.retries_when_lost ? 1 : 0);
  optional(rules.start_deadline);
  if (has_own_limit) writer.signed_number(rules.lost_max);
  return out;
}

Result<RunRules> read_rules(std::string_view bytes) {
  ByteReader reader{bytes};
  const auto optional = [&]() -> std::optional<Duration> {
    const std::uint64_t value = reader.number();
    return value == 0 ? std::nullopt : std::optional{Duration{static_cast<std::int64_t>(value - 1)}};
  };
  const std::uint64_t format = reader.number();
  if (format != rules_format && format != rules_format_with_limit) return unreadable("rules of a job");
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
  if (format == rules_format_with_limit) rules.lost_max = reader.signed_number();
  if (rules.lost_max < 1) return unreadable("rules of a job");
  const bool has_possible_deadline = !rules.start_deadline || is_possible(*rules.start_deadline);
  if (!reader.is_done() || !is_possible_retry(retry) || !has_possible_deadline) return unreadable("rules of a job");
  return rules;
}

}  // namespace carillon::rows
