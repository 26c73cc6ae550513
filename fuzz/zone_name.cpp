#include "base/assertion.hpp"
#include "calendar/zone_names.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

using namespace carillon;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const ZoneNames known{
      .version = "2026f",
      .names = {"UTC", "GMT", "EST", "EST5EDT", "Zulu", "Japan", "Etc/GMT+5", "Europe/Berlin", "Europe/Kiev",
                "Europe/Kyiv", "America/New_York", "America/Argentina/Buenos_Aires", "US/Pacific",
                "America/Los_Angeles", "Asia/Tokyo"},
      .links = {{"Japan", "Asia/Tokyo"},
                {"US/Pacific", "America/Los_Angeles"},
                {"Europe/Kiev", "Europe/Kyiv"},
                {"Zulu", "Etc/UTC"}},
      .current = {"Europe/Berlin", "Europe/Kyiv", "America/New_York", "America/Argentina/Buenos_Aires",
                  "America/Los_Angeles", "Asia/Tokyo"}};
  const std::string_view name{reinterpret_cast<const char*>(bytes), size};

  const auto checked = check_zone_name(name, known);
  if (checked) {
    CARILLON_ASSERT(known.names.contains(name));
  } else {
    CARILLON_ASSERT(checked.error().rule == "unknown-zone" && !checked.error().message.empty() &&
                    !checked.error().hint.empty());
  }
  (void)known.renamed_to(name);
  return 0;
}
