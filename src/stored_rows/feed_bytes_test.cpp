#include "stored_rows/feed_bytes.hpp"

#include "stored_rows/stored_range.hpp"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

namespace carillon::rows {
namespace {

using namespace std::chrono_literals;

constexpr Instant noon{std::chrono::sys_days{std::chrono::year{2026} / 3 / 1} + 12h};

FeedEvent some_event(std::int64_t position) {
  FeedEvent event{.position = position,
                  .at = Instant{Duration{*rc::gen::inRange(stored_instant_min.time_since_epoch().count(),
                                                           stored_instant_max.time_since_epoch().count())}},
                  .kind = static_cast<FeedKind>(*rc::gen::inRange(0, 7)),
                  .uid = static_cast<Uid>(*rc::gen::inRange<std::int64_t>(0, stored_count_max)),
                  .subject = static_cast<Seq>(*rc::gen::inRange<std::int64_t>(0, stored_count_max))};
  if (event.kind == FeedKind::backfill_progress) event.backfill = *rc::gen::inRange<std::int64_t>(0, 1'000);
  if (*rc::gen::arbitrary<bool>()) event.state = static_cast<RunState>(*rc::gen::inRange(0, 10));
  if (*rc::gen::arbitrary<bool>()) event.change = static_cast<ChangeKind>(*rc::gen::inRange(0, 8));
  return event;
}

std::vector<FeedEvent> some_events(FeedPacker& packer, std::int64_t first) {
  std::vector<FeedEvent> events;
  const auto count = *rc::gen::inRange<std::int64_t>(0, 20);
  for (std::int64_t i = 0; i < count; ++i) {
    events.push_back(some_event(first + i));
    packer.add(events.back());
  }
  return events;
}

RC_GTEST_PROP(FeedBytes, are_read_as_they_were_written, ()) {
  FeedPacker packer;
  const auto events = some_events(packer, 40);

  const auto read = unpack_events(packer.bytes(), 40, packer.first_at());

  RC_ASSERT(read.has_value());
  RC_ASSERT(*read == events);
  RC_ASSERT(packer.count() == static_cast<std::int64_t>(events.size()));
}

RC_GTEST_PROP(FeedBytes, keep_nothing_of_what_is_taken_back, ()) {
  FeedPacker packer;
  auto events = some_events(packer, 1);
  const auto mark = packer.mark();
  some_events(packer, 1);
  packer.go_back(mark);
  const auto later = some_events(packer, 1 + static_cast<std::int64_t>(events.size()));
  events.insert(events.end(), later.begin(), later.end());

  RC_ASSERT(unpack_events(packer.bytes(), 1, packer.first_at()).value() == events);
}

RC_GTEST_PROP(FeedBytes, that_are_cut_off_are_corrupt, ()) {
  FeedPacker packer;
  packer.add(some_event(1));
  std::string bytes = packer.bytes();
  bytes.resize(*rc::gen::inRange<std::size_t>(1, bytes.size()));

  const auto read = unpack_events(bytes, 1, packer.first_at());

  RC_ASSERT(!read.has_value());
  RC_ASSERT(read.error().code == ErrorCode::corrupt);
}

TEST(FeedBytes, of_usual_events_are_few) {
  FeedPacker packer;
  for (std::int64_t i = 0; i < 100; ++i) {
    const auto uid = static_cast<Uid>(4'000 + i * 37 % 100);
    packer.add({.at = noon,
                .kind = FeedKind::run_queued,
                .uid = uid,
                .subject = Seq{1'000'000 + i},
                .state = RunState::queued});
  }

  EXPECT_LT(packer.bytes().size(), 600U);
}

}  // namespace
}  // namespace carillon::rows
