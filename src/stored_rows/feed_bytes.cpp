#include "stored_rows/feed_bytes.hpp"

#include "stored_rows/byte_coding.hpp"
#include "stored_rows/stored_range.hpp"

namespace carillon::rows {
namespace {

// The head of an event: kind in three bits, state in four, what was changed above. None is 0, so that the others are
// one more than they are.
constexpr unsigned state_shift = 3;
constexpr unsigned change_shift = 7;

template <typename Enum>
std::uint64_t one_more(const std::optional<Enum>& value) {
  return value ? static_cast<std::uint64_t>(*value) + 1 : 0;
}

/// Whether the number stood for none, or for an enumerator up to `last`.
template <typename Enum>
bool read_one_less(std::uint64_t number, Enum last, std::optional<Enum>& value) {
  if (number == 0) return true;
  value = static_cast<Enum>(number - 1);
  return number - 1 <= static_cast<std::uint64_t>(last);
}

std::int64_t difference(std::int64_t from, std::int64_t to) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from));
}

std::int64_t sum(std::int64_t from, std::int64_t difference) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(from) + static_cast<std::uint64_t>(difference));
}

}  // namespace

void FeedPacker::add(const FeedEvent& event) {
  static_assert(static_cast<unsigned>(FeedKind::backfill_progress) < 1U << state_shift);
  static_assert(static_cast<unsigned>(RunState::expired) + 1 < 1U << (change_shift - state_shift));
  if (place_.count == 0) place_.at = first_at_ = event.at;
  ByteWriter writer{bytes_};
  writer.number(static_cast<std::uint64_t>(event.kind) | (one_more(event.state) << state_shift) |
                (one_more(event.change) << change_shift));
  const auto uid = static_cast<std::int64_t>(event.uid);
  const auto subject = static_cast<std::int64_t>(event.subject);
  writer.signed_number(difference(place_.at.time_since_epoch().count(), event.at.time_since_epoch().count()));
  writer.signed_number(difference(place_.uid, uid));
  writer.signed_number(difference(place_.subject, subject));
  if (event.kind == FeedKind::backfill_progress) writer.number(static_cast<std::uint64_t>(event.backfill));
  place_ = {.size = bytes_.size(), .count = place_.count + 1, .at = event.at, .uid = uid, .subject = subject};
}

void FeedPacker::go_back(const Mark& mark) {
  bytes_.resize(mark.size);
  place_ = mark;
}

Result<std::vector<FeedEvent>> unpack_events(std::string_view bytes, std::int64_t position, Instant at) {
  ByteReader reader{bytes};
  std::vector<FeedEvent> events;
  std::int64_t time = at.time_since_epoch().count();
  std::int64_t uid = 0;
  std::int64_t subject = 0;
  while (!reader.is_done()) {
    const std::uint64_t head = reader.number();
    time = sum(time, reader.signed_number());
    uid = sum(uid, reader.signed_number());
    subject = sum(subject, reader.signed_number());
    const std::uint64_t kind = head & ((1U << state_shift) - 1);
    FeedEvent event{.position = position++,
                    .at = Instant{Duration{time}},
                    .kind = static_cast<FeedKind>(kind),
                    .uid = static_cast<Uid>(uid),
                    .subject = static_cast<Seq>(subject)};
    if (event.kind == FeedKind::backfill_progress) event.backfill = static_cast<std::int64_t>(reader.number());
    const std::uint64_t state = (head >> state_shift) & ((1U << (change_shift - state_shift)) - 1);
    const bool is_sound = kind <= static_cast<std::uint64_t>(FeedKind::backfill_progress) &&
                          read_one_less(state, RunState::expired, event.state) &&
                          read_one_less(head >> change_shift, ChangeKind::reset, event.change);
    const bool has_possible_values = is_possible(event.at) && is_possible_count(uid) && is_possible_count(subject) &&
                                     is_possible_count(event.backfill);
    if (!is_sound || !has_possible_values || !reader.is_sound())
      return fail(ErrorCode::corrupt, "the stored events cannot be read");
    events.push_back(event);
  }
  return events;
}

}  // namespace carillon::rows
