#include "stored_rows/state_bytes.hpp"

#include "stored_rows/byte_coding.hpp"
#include "stored_rows/stored_range.hpp"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <array>
#include <limits>

namespace carillon::rows {
namespace {

using namespace std::chrono_literals;

Instant some_instant() {
  return Instant{Duration{
      *rc::gen::inRange(stored_instant_min.time_since_epoch().count(), stored_instant_max.time_since_epoch().count())}};
}
std::optional<Instant> perhaps_some_instant() {
  return *rc::gen::arbitrary<bool>() ? std::optional{some_instant()} : std::nullopt;
}
std::int64_t some_number() { return *rc::gen::inRange<std::int64_t>(0, stored_count_max); }

ScheduleState some_state() {
  ScheduleState state;
  state.status = static_cast<ScheduleStatus>(*rc::gen::inRange(0, 5));
  state.created_at = some_instant();
  state.deleted_at = perhaps_some_instant();
  state.paused_at = perhaps_some_instant();
  state.paused_until = perhaps_some_instant();
  state.cursor = some_instant();
  state.started_until = some_instant();
  state.skipped_until = some_instant();
  state.closed_until = perhaps_some_instant().value_or(Instant{});
  state.own_since = perhaps_some_instant().value_or(state.created_at);
  state.cursor_offset = *rc::gen::inRange<std::int32_t>(-93'600, 93'600);
  state.zone_edition =
      static_cast<ZoneEdition>(*rc::gen::inRange<std::int32_t>(0, std::numeric_limits<std::int32_t>::max()));
  state.has_failed = *rc::gen::arbitrary<bool>();
  state.backfill_count = some_number();
  state.counts = {.runs = some_number(),
                  .successes = some_number(),
                  .errors = some_number(),
                  .repeats = some_number(),
                  .consecutive_failures = some_number()};
  if (*rc::gen::arbitrary<bool>())
    state.counts.skipped[*rc::gen::inRange<std::size_t>(0, skip_reason_count)] = some_number();
  state.last_success = static_cast<Seq>(some_number());
  return state;
}

RC_GTEST_PROP(StateBytes, are_read_as_they_were_written, ()) {
  const ScheduleState state = some_state();
  std::string bytes;
  write_body(state, bytes);

  ScheduleState read;
  RC_ASSERT(read_body(bytes, read).has_value());

  RC_ASSERT(read == state);
}

RC_GTEST_PROP(StateBytes, that_are_cut_off_are_corrupt, ()) {
  std::string bytes;
  write_body(some_state(), bytes);
  bytes.resize(*rc::gen::inRange<std::size_t>(0, bytes.size()));

  ScheduleState read;
  const auto outcome = read_body(bytes, read);

  RC_ASSERT(!outcome.has_value());
  RC_ASSERT(outcome.error().code == ErrorCode::corrupt);
}

/// The bytes of a state after one of its members got a value that nobody could have written.
template <typename Change>
Result<> read_after(Change change) {
  ScheduleState state;
  change(state);
  std::string bytes;
  write_body(state, bytes);
  ScheduleState read;
  return read_body(bytes, read);
}

TEST(StateBytes, with_a_value_that_cannot_be_are_corrupt) {
  const Instant beyond = Instant::max();
  const auto changes = std::to_array<void (*)(ScheduleState&, Instant)>(
      {[](ScheduleState& state, Instant time) { state.cursor = time; },
       [](ScheduleState& state, Instant time) { state.created_at = time; },
       [](ScheduleState& state, Instant time) { state.paused_until = time; },
       [](ScheduleState& state, Instant) { state.counts.runs = -1; },
       [](ScheduleState& state, Instant) { state.counts.skipped[3] = std::numeric_limits<std::int64_t>::max(); },
       [](ScheduleState& state, Instant) { state.backfill_count = std::numeric_limits<std::int64_t>::max(); },
       [](ScheduleState& state, Instant) { state.cursor_offset = std::numeric_limits<std::int32_t>::max(); },
       [](ScheduleState& state, Instant) { state.last_success = static_cast<Seq>(-1); }});

  ASSERT_TRUE(read_after([](ScheduleState&) {}));
  for (std::size_t i = 0; i < changes.size(); ++i)
    EXPECT_EQ(read_after([&](ScheduleState& state) { changes[i](state, beyond); }).error().code, ErrorCode::corrupt)
        << i;
}

TEST(StateBytes, of_a_usual_state_are_few) {
  const Instant noon{std::chrono::sys_days{std::chrono::year{2026} / 3 / 1} + 12h};
  ScheduleState state;
  state.created_at = state.own_since = noon - 24h * 30;
  state.cursor = noon;
  state.started_until = noon;
  state.skipped_until = noon - 24h * 30;
  state.counts = {.runs = 4'000, .successes = 3'990, .errors = 10};
  state.last_success = Seq{123'456'789};
  std::string bytes;

  write_body(state, bytes);

  EXPECT_LT(bytes.size(), 50U);
}

TEST(StateBytes, of_the_first_format_are_read_without_the_newer_counts) {
  ScheduleState state;
  state.created_at = state.own_since = Instant{1s};
  state.counts.skipped[0] = 5;
  std::string bytes;
  write_body(state, bytes);
  bytes.front() = 1;
  bytes.pop_back();

  ScheduleState read;
  ASSERT_TRUE(read_body(bytes, read));

  EXPECT_EQ(read, state);
}

TEST(ByteCoding, keeps_numbers_at_the_edges) {
  std::string bytes;
  ByteWriter writer{bytes};
  writer.number(std::numeric_limits<std::uint64_t>::max());
  writer.signed_number(std::numeric_limits<std::int64_t>::min());
  writer.signed_number(std::numeric_limits<std::int64_t>::max());
  writer.signed_number(-1);
  writer.real(-0.5);

  ByteReader reader{bytes};

  EXPECT_EQ(reader.number(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(reader.signed_number(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(reader.signed_number(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(reader.signed_number(), -1);
  EXPECT_EQ(reader.real(), -0.5);
  EXPECT_TRUE(reader.is_done());
}

TEST(RulesBytes, are_read_as_they_were_written) {
  RunRules rules{};
  rules.retry = {.attempt_count_max = 9,
                 .backoff = Backoff::linear,
                 .initial = 5s,
                 .factor = 1.5,
                 .delay_max = 1h,
                 .jitter = 0.25,
                 .on_lost = false};
  rules.retries_when_lost = true;
  rules.start_deadline = 0s;

  const RunRules read = read_rules(rules_bytes(rules)).value();

  EXPECT_EQ(read.retry, rules.retry);
  EXPECT_EQ(read.retries_when_lost, true);
  EXPECT_EQ(read.start_deadline, Duration{0});
  EXPECT_EQ(read.lost_max, lost_max_default);
  EXPECT_FALSE(read_rules(rules_bytes(rules) + "x").has_value());
  rules.lost_max = 7;
  EXPECT_EQ(read_rules(rules_bytes(rules))->lost_max, 7);
  EXPECT_FALSE(read_rules(rules_bytes(rules) + "x").has_value());
}

}  // namespace
}  // namespace carillon::rows
