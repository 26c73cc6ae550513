#include "calendar/local_text.hpp"

#include <cstdlib>

namespace carillon {

UtcSecond to_utc_second(Instant instant) {
  return std::chrono::floor<std::chrono::seconds>(instant).time_since_epoch().count();
}

std::string offset_text(std::int64_t offset) {
  const std::int64_t minutes = std::abs(offset) / 60;
  const auto digit = [](std::int64_t value) { return static_cast<char>('0' + value % 10); };
  return {offset < 0 ? '-' : '+',   digit(minutes / 600), digit(minutes / 60), ':',
          digit(minutes % 60 / 10), digit(minutes)};
}

std::string local_text(Instant instant, const Zone& zone) {
  // RFC 3339 knows offsets of whole minutes only; shifting by what is printed keeps the instant exact.
  const std::int64_t offset = zone.offset_at(to_utc_second(instant)) / 60 * 60;
  std::string text;
  text.reserve(32);
  append_text(text, instant + std::chrono::seconds{offset});
  text.pop_back();
  return text += offset_text(offset);
}

}  // namespace carillon
