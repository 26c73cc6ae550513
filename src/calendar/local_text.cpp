#include "calendar/local_text.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <cstdlib>

namespace carillon {

UtcSecond to_utc_second(Instant instant) {
  return std::chrono::floor<std::chrono::seconds>(instant).time_since_epoch().count();
}

std::string offset_text(std::int64_t offset) {
  const std::int64_t minutes = std::abs(offset) / 60;
  return fmt::format(FMT_COMPILE("{}{:02}:{:02}"), offset < 0 ? '-' : '+', minutes / 60, minutes % 60);
}

std::string local_text(Instant instant, const Zone& zone) {
  // RFC 3339 knows offsets of whole minutes only; shifting by what is printed keeps the instant exact.
  const std::int64_t offset = zone.offset_at(to_utc_second(instant)) / 60 * 60;
  std::string text = to_text(instant + std::chrono::seconds{offset});
  text.pop_back();
  return text + offset_text(offset);
}

}  // namespace carillon
