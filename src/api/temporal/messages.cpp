#include "api/temporal/messages.hpp"

#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <chrono>

namespace carillon::temporal {
namespace {

constexpr std::int64_t micros_per_second = 1'000'000;
constexpr std::int64_t nanos_per_micro = 1'000;
constexpr std::int64_t seconds_max = 300LL * 366 * 86'400;

}  // namespace

void silence_message_library() {
  static const bool is_done = (google::protobuf::SetLogHandler(nullptr), true);
  static_cast<void>(is_done);
}

Instant instant_of(const google::protobuf::Timestamp& timestamp) {
  const auto first = std::chrono::floor<std::chrono::seconds>(instant_min).time_since_epoch().count();
  const auto last = std::chrono::floor<std::chrono::seconds>(instant_max).time_since_epoch().count();
  const std::int64_t seconds = std::clamp<std::int64_t>(timestamp.seconds(), first, last);
  const std::int64_t nanos = std::clamp(timestamp.nanos(), 0, 999'999'999);
  return std::clamp(Instant{Duration{seconds * micros_per_second + nanos / nanos_per_micro}}, instant_min, instant_max);
}

google::protobuf::Timestamp timestamp_of(Instant instant) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(instant);
  google::protobuf::Timestamp out;
  out.set_seconds(seconds.time_since_epoch().count());
  out.set_nanos(static_cast<std::int32_t>((instant - seconds).count() * nanos_per_micro));
  return out;
}

Duration duration_of(const google::protobuf::Duration& duration) {
  const std::int64_t seconds = std::clamp<std::int64_t>(duration.seconds(), -seconds_max, seconds_max);
  return Duration{seconds * micros_per_second + duration.nanos() / nanos_per_micro};
}

google::protobuf::Duration message_of(Duration duration) {
  google::protobuf::Duration out;
  out.set_seconds(duration.count() / micros_per_second);
  out.set_nanos(static_cast<std::int32_t>(duration.count() % micros_per_second * nanos_per_micro));
  return out;
}

}  // namespace carillon::temporal
