#include "calendar/cron.hpp"
#include "calendar/description/describe.hpp"
#include "calendar/lint/lint.hpp"
#include "timetable_laws.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

using namespace carillon;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const ZonePtr zone = testing::new_york();
  static const Instant now = testing::at("2026-10-30T12:34:56Z");
  const std::string_view text{reinterpret_cast<const char*>(bytes), size};

  const auto cron = parse_cron(text);
  if (!cron) {
    CARILLON_ASSERT(!cron.error().message.empty() && !cron.error().hint.empty());
    CARILLON_ASSERT(cron.error().position && *cron.error().position <= size);
    return 0;
  }
  Spec spec;
  spec.crons = {std::string{text}};
  spec.timezone = zone->name();
  const auto timetable = Timetable::make(spec, zone, now);
  CARILLON_ASSERT(timetable.has_value());
  CARILLON_ASSERT(timetable->next(testing::at("1970-01-01T00:00:00Z")).has_value());
  fuzz::check_laws(*timetable, now);
  CARILLON_ASSERT(!describe(spec, *zone, now).value().empty());
  (void)lint(spec, zone, now);
  return 0;
}
