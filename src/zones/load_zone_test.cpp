#include "zones/load_zone.hpp"

#include "base/instant.hpp"
#include "support/temporary_folder.hpp"
#include "zones/file_text.hpp"
#include "zones/system_zone_source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <absl/time/time.h>

#include <random>
#include <string>

namespace carillon {
namespace {

using testing::HasSubstr;

UtcSecond utc(const char* text) {
  return std::chrono::floor<std::chrono::seconds>(parse_instant(text).value()).time_since_epoch().count();
}

std::filesystem::path system_file(std::string_view name) { return SystemZoneSource::default_directory() / name; }

ZonePtr system_zone(std::string_view name) { return load_zone(name, system_file(name)).value(); }

/// absl's own answer beside ours; true if they agree.
bool agrees(const Zone& zone, const absl::TimeZone& expected, UtcSecond at) {
  const auto info = expected.At(absl::FromUnixSeconds(at));
  return zone.offset_at(at) == info.offset && zone.abbreviation_at(at) == info.zone_abbr;
}

void expect_agreement(const Zone& zone, const absl::TimeZone& expected, UtcSecond at) {
  EXPECT_TRUE(agrees(zone, expected, at)) << zone.name() << " at " << at;
}

TEST(LoadedZone, agrees_with_absl_in_every_zone_at_all_times) {
  SystemZoneSource source;
  const UtcSecond first = utc("1900-01-01T00:00:00Z");
  const UtcSecond last = utc("2199-12-31T23:59:59Z");
  std::mt19937_64 random{20'260'101};
  std::uniform_int_distribution<UtcSecond> any_time{first, last};
  std::size_t zone_count = 0;
  for (const std::string& name : source.names()->names) {
    absl::TimeZone expected;
    ASSERT_TRUE(absl::LoadTimeZone(name, &expected)) << name;

    const auto loaded = load_zone(name, system_file(name));

    ASSERT_TRUE(loaded.has_value()) << name;
    const Zone& zone = **loaded;
    EXPECT_EQ(zone.name(), name);
    for (int i = 0; i < 200; ++i) expect_agreement(zone, expected, any_time(random));
    // A step of about ten days meets every stretch that lasts longer.
    for (UtcSecond at = first; at <= last; at += 876'543) expect_agreement(zone, expected, at);
    for (Zone::Index i = 1; i < zone.period_count(); ++i) {
      const UtcSecond begin = zone.period(i).begin;
      for (const UtcSecond at : {begin - 1, begin, begin + 1}) expect_agreement(zone, expected, at);
    }
    ++zone_count;
  }
  EXPECT_GT(zone_count, 400U);
}

TEST(LoadedZone, keeps_its_rules_after_2037) {
  const ZonePtr zone = system_zone("America/New_York");

  EXPECT_EQ(zone->offset_at(utc("2150-01-15T12:00:00Z")), -5 * 3600);
  EXPECT_EQ(zone->offset_at(utc("2150-07-15T12:00:00Z")), -4 * 3600);
  EXPECT_EQ(zone->abbreviation_at(utc("2199-07-15T12:00:00Z")), "EDT");
  // The second Sunday of March 2150 is the 8th.
  EXPECT_EQ(zone->offset_at(utc("2150-03-08T06:59:59Z")), -5 * 3600);
  EXPECT_EQ(zone->offset_at(utc("2150-03-08T07:00:00Z")), -4 * 3600);
}

TEST(LoadedZone, has_changes_of_a_whole_day) {
  struct Case {
    const char* name;
    const char* change;
    int hours_before;
    int hours_after;
  };
  const Case cases[] = {{"Pacific/Apia", "2011-12-30T10:00:00Z", -10, 14},
                        {"Pacific/Kwajalein", "1993-08-21T12:00:00Z", -12, 12}};
  for (const auto& [name, change, hours_before, hours_after] : cases) {
    const ZonePtr zone = system_zone(name);

    const Zone::Index index = zone->period_at(utc(change));

    EXPECT_EQ(zone->period(index).begin, utc(change)) << name;
    EXPECT_EQ(zone->period(index - 1).offset, hours_before * 3600) << name;
    EXPECT_EQ(zone->period(index).offset, hours_after * 3600) << name;
  }
}

TEST(LoadedZone, knows_a_change_of_abbreviation_alone) {
  const ZonePtr zone = system_zone("Europe/Lisbon");

  const UtcSecond change = utc("1992-09-27T01:00:00Z");

  EXPECT_EQ(zone->abbreviation_at(change - 1), "WEST");
  EXPECT_EQ(zone->abbreviation_at(change), "CET");
  EXPECT_EQ(zone->period_at(change - 1), zone->period_at(change));
}

TEST(LoadedZone, cut_off_anywhere_is_corrupt) {
  const TemporaryFolder folder;
  const std::string whole = read_file(system_file("Europe/Berlin")).value();
  for (std::size_t length = 0; length < whole.size(); length += 7) {
    folder.write("Berlin", whole.substr(0, length));

    const auto zone = load_zone("Europe/Berlin", folder.path() / "Berlin");

    ASSERT_FALSE(zone.has_value()) << length;
    EXPECT_EQ(zone.error().code, ErrorCode::corrupt) << length;
  }
}

TEST(LoadedZone, with_damaged_bytes_is_a_zone_or_an_error_and_no_crash) {
  const TemporaryFolder folder;
  const std::string whole = read_file(system_file("America/New_York")).value();
  std::mt19937_64 random{7};
  for (int round = 0; round < 300; ++round) {
    std::string damaged = whole;
    for (auto count = 1 + random() % 8; count > 0; --count)
      damaged[random() % whole.size()] = static_cast<char>(random());
    folder.write("file", damaged);

    const auto zone = load_zone("Some/Zone", folder.path() / "file");

    EXPECT_TRUE(zone.has_value() || zone.error().code == ErrorCode::corrupt) << round;
  }
}

TEST(LoadedZone, is_unavailable_when_its_file_is_missing_or_a_folder) {
  const TemporaryFolder folder;

  const auto missing = load_zone("Some/Zone", folder.path() / "missing");
  const auto no_file = load_zone("Some/Zone", folder.path());

  EXPECT_EQ(missing.error().code, ErrorCode::unavailable);
  EXPECT_THAT(missing.error().message, HasSubstr("No such file"));
  EXPECT_EQ(no_file.error().code, ErrorCode::unavailable);
}

}  // namespace
}  // namespace carillon
