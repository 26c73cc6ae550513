#include "base/assertion.hpp"
#include "stored_rows/feed_bytes.hpp"
#include "stored_rows/state_bytes.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

using namespace carillon;

namespace {

/// What can be read is a state that could have been written: it is read again as it is, and its times can be told.
void check_body(std::string_view bytes) {
  ScheduleState state;
  if (!rows::read_body(bytes, state)) return;
  std::string written;
  rows::write_body(state, written);
  ScheduleState again;
  CARILLON_ASSERT(rows::read_body(written, again));
  CARILLON_ASSERT(again == state);
  (void)to_text(state.cursor);
  (void)to_text(state.created_at);
}

void check_rules(std::string_view bytes) {
  const auto rules = rows::read_rules(bytes);
  if (!rules) return;
  const auto again = rows::read_rules(rows::rules_bytes(*rules));
  CARILLON_ASSERT(again && again->retry == rules->retry);
}

void check_events(std::string_view bytes) {
  const auto events = rows::unpack_events(bytes, 1, Instant{});
  if (!events) return;
  rows::FeedPacker packer;
  for (const FeedEvent& event : *events) {
    packer.add(event);
    (void)to_text(event.at);
  }
  CARILLON_ASSERT(rows::unpack_events(packer.bytes(), 1, packer.first_at()).value() == *events);
}

}  // namespace

/// The first byte says what the others are the bytes of.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view rest{reinterpret_cast<const char*>(bytes) + 1, size - 1};
  switch (bytes[0]) {
    case 's': check_body(rest); break;
    case 'r': check_rules(rest); break;
    case 'e': check_events(rest); break;
    default: break;
  }
  return 0;
}
