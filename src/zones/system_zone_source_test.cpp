#include "zones/system_zone_source.hpp"

#include "support/temporary_folder.hpp"
#include "zones/file_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdlib.h>

#include <atomic>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

namespace carillon {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;

constexpr UtcSecond noon_in_july_2026 = 1'784'116'800;  // 2026-07-15T12:00:00Z
constexpr std::int64_t hour = 3600;

std::string system_bytes(std::string_view name) {
  return read_file(SystemZoneSource::default_directory() / name).value();
}

/// A folder with two zones and a list that names a third without file, as a link.
class SmallZoneinfo : public TemporaryFolder {
 public:
  SmallZoneinfo() {
    write_list("2026a");
    write("Europe/Berlin", berlin);
    write("Asia/Tokyo", tokyo);
  }
  void write_list(std::string_view version) const {
    write("tzdata.zi", fmt::format("# version {}\nZ Europe/Berlin 1\nZ Asia/Tokyo 9\nL Asia/Tokyo Old/Edo\n", version));
  }

  const std::string berlin = system_bytes("Europe/Berlin");
  const std::string tokyo = system_bytes("Asia/Tokyo");
};

std::int64_t offset_in_july(const ZonePtr& zone) { return zone->offset_at(noon_in_july_2026); }

TEST(SystemZoneSource, loads_every_accepted_name_of_the_system) {
  SystemZoneSource source;
  const auto names = source.names();
  EXPECT_THAT(names->version, MatchesRegex("20[0-9][0-9][a-z]+|unknown"));
  EXPECT_GT(names->names.size(), 400U);

  for (const std::string& name : names->names) {
    const auto zone = source.zone(name);

    EXPECT_EQ(zone.has_value(), check_zone_name(name, *names).has_value()) << name;
    EXPECT_TRUE(!zone || (*zone)->name() == name) << name;
  }
}

TEST(SystemZoneSource, suggests_only_zones_that_can_be_loaded) {
  SystemZoneSource source;
  for (const char* name : {"EST", "CST", "MST",   "PST",    "AKST", "HST",           "AST",    "NST",          "BRT",
                           "CET", "EET", "WET",   "BST",    "MSK",  "IST",           "PKT",    "SGT",          "HKT",
                           "JST", "KST", "AWST",  "ACST",   "AEST", "NZST",          "WAT",    "CAT",          "SAST",
                           "EAT", "GB",  "Japan", "Navajo", "W-SU", "europe/berlin", "berlin", "Asia/Kalkutta"}) {
    const auto refused = source.zone(name);

    ASSERT_FALSE(refused.has_value()) << name;
    std::string_view hint = refused.error().hint;
    ASSERT_THAT(hint, HasSubstr("/")) << name;
    for (std::size_t begin = 0; begin < hint.size();) {
      const std::string_view word = hint.substr(begin, hint.find_first_of(" ,?", begin) - begin);
      EXPECT_TRUE(word.find('/') == std::string_view::npos || source.zone(word).has_value()) << word;
      begin += word.size() + 1;
    }
  }
}

TEST(SystemZoneSource, every_replacement_of_an_old_name_can_be_loaded) {
  SystemZoneSource source;
  const auto names = source.names();
  for (const std::string& name : names->names) {
    const std::string_view today = names->renamed_to(name);
    if (today.empty()) continue;

    EXPECT_EQ(offset_in_july(*source.zone(today)), offset_in_july(*source.zone(name))) << name;
  }
}

TEST(SystemZoneSource, looks_where_the_environment_says) {
  const SmallZoneinfo folder;
  const std::string before = SystemZoneSource::default_directory();

  ::setenv("TZDIR", folder.path().c_str(), 1);
  SystemZoneSource source;
  ::setenv("TZDIR", before.c_str(), 1);

  EXPECT_EQ(source.names()->version, "2026a");
}

TEST(SystemZoneSource, hands_out_the_same_zone_again) {
  SystemZoneSource source;

  EXPECT_EQ(*source.zone("Europe/Berlin"), *source.zone("Europe/Berlin"));
}

TEST(SystemZoneSource, refuses_what_is_not_accepted_as_a_name) {
  SystemZoneSource source;
  for (const char* name : {"", "EST", "/etc/localtime", "posix/Europe/Berlin", "../zoneinfo/UTC", "Europe/berlin"}) {
    const auto zone = source.zone(name);

    ASSERT_FALSE(zone.has_value()) << name;
    EXPECT_EQ(zone.error().code, ErrorCode::invalid_argument) << name;
    EXPECT_EQ(zone.error().rule, "unknown-zone") << name;
  }
}

TEST(SystemZoneSource, loads_a_link_without_file_from_its_target) {
  const SmallZoneinfo folder;
  SystemZoneSource source{folder.path()};

  const ZonePtr zone = source.zone("Old/Edo").value();

  EXPECT_EQ(zone->name(), "Old/Edo");
  EXPECT_EQ(offset_in_july(zone), 9 * hour);
}

TEST(SystemZoneSource, takes_a_changed_zone_into_use_on_refresh_and_leaves_old_zones_alone) {
  const SmallZoneinfo folder;
  SystemZoneSource source{folder.path()};
  const ZonePtr old_zone = source.zone("Europe/Berlin").value();
  EXPECT_FALSE(source.refresh());

  folder.write("Europe/Berlin", folder.tokyo);

  EXPECT_EQ(source.zone("Europe/Berlin").value(), old_zone);
  EXPECT_TRUE(source.refresh());
  EXPECT_EQ(offset_in_july(source.zone("Europe/Berlin").value()), 9 * hour);
  EXPECT_EQ(offset_in_july(old_zone), 2 * hour);
  EXPECT_FALSE(source.refresh());
}

TEST(SystemZoneSource, takes_changed_zones_into_use_however_often) {
  const SmallZoneinfo folder;
  SystemZoneSource source{folder.path()};
  for (int round = 0; round < 6; ++round) {
    const bool is_berlin = round % 2 == 0;
    folder.write("Europe/Berlin", is_berlin ? folder.berlin : folder.tokyo);
    std::ignore = source.refresh();

    EXPECT_EQ(offset_in_july(source.zone("Europe/Berlin").value()), (is_berlin ? 2 : 9) * hour) << round;
  }
}

TEST(SystemZoneSource, made_anew_reads_the_rules_of_now) {
  const SmallZoneinfo folder;
  EXPECT_EQ(offset_in_july(SystemZoneSource{folder.path()}.zone("Europe/Berlin").value()), 2 * hour);

  folder.write("Europe/Berlin", folder.tokyo);

  EXPECT_EQ(offset_in_july(SystemZoneSource{folder.path()}.zone("Europe/Berlin").value()), 9 * hour);
}

TEST(SystemZoneSource, learns_a_new_version_and_new_names_on_refresh) {
  const SmallZoneinfo folder;
  SystemZoneSource source{folder.path()};
  const auto old_names = source.names();
  EXPECT_FALSE(source.zone("Asia/Seoul").has_value());

  folder.write("Asia/Seoul", folder.tokyo);
  folder.write("tzdata.zi", "# version 2026b\nZ Asia/Seoul 9\n");

  EXPECT_TRUE(source.refresh());
  EXPECT_EQ(source.names()->version, "2026b");
  EXPECT_TRUE(source.zone("Asia/Seoul").has_value());
  EXPECT_EQ(old_names->version, "2026a");
}

TEST(SystemZoneSource, notices_a_zone_added_to_a_folder_without_list) {
  const SmallZoneinfo folder;
  folder.remove("tzdata.zi");
  SystemZoneSource source{folder.path()};
  EXPECT_EQ(source.names()->version, "unknown");
  EXPECT_FALSE(source.zone("Asia/Seoul").has_value());

  folder.write("Asia/Seoul", folder.tokyo);

  EXPECT_TRUE(source.refresh());
  EXPECT_TRUE(source.zone("Asia/Seoul").has_value());
}

TEST(SystemZoneSource, keeps_what_it_has_while_the_folder_is_empty) {
  const SmallZoneinfo folder;
  SystemZoneSource source{folder.path()};
  const ZonePtr berlin = source.zone("Europe/Berlin").value();
  for (const char* name : {"tzdata.zi", "Europe", "Asia"}) folder.remove(name);

  EXPECT_FALSE(source.refresh());
  EXPECT_EQ(source.zone("Europe/Berlin").value(), berlin);

  folder.write_list("2026b");
  folder.write("Europe/Berlin", folder.berlin);

  EXPECT_TRUE(source.refresh());
  EXPECT_EQ(source.names()->version, "2026b");
}

TEST(SystemZoneSource, reports_a_corrupt_file_and_recovers_when_it_is_replaced) {
  const SmallZoneinfo folder;
  folder.write("Europe/Berlin", folder.berlin.substr(0, 500));
  SystemZoneSource source{folder.path()};

  const auto corrupt = source.zone("Europe/Berlin");

  ASSERT_FALSE(corrupt.has_value());
  EXPECT_EQ(corrupt.error().code, ErrorCode::corrupt);
  EXPECT_THAT(corrupt.error().context, testing::ElementsAre("loading time zone Europe/Berlin"));
  EXPECT_TRUE(source.zone("Asia/Tokyo").has_value());

  folder.write("Europe/Berlin", folder.berlin);

  EXPECT_EQ(offset_in_july(source.zone("Europe/Berlin").value()), 2 * hour);
}

TEST(SystemZoneSource, without_data_has_utc_and_an_error_for_all_else) {
  const TemporaryFolder folder;
  SystemZoneSource source{folder.path() / "missing"};

  const auto zone = source.zone("Europe/Berlin");

  ASSERT_FALSE(zone.has_value());
  EXPECT_EQ(zone.error().code, ErrorCode::unavailable);
  EXPECT_THAT(zone.error().message, HasSubstr("no time zone data in"));
  EXPECT_THAT(source.names()->names, IsEmpty());
  EXPECT_FALSE(source.refresh());
  EXPECT_EQ(source.zone("UTC").value(), Zone::utc());
}

TEST(SystemZoneSource, finds_data_that_is_installed_later) {
  const TemporaryFolder folder;
  SystemZoneSource source{folder.path()};
  EXPECT_FALSE(source.zone("Europe/Berlin").has_value());

  folder.write("Europe/Berlin", system_bytes("Europe/Berlin"));

  EXPECT_TRUE(source.refresh());
  EXPECT_EQ(offset_in_july(source.zone("Europe/Berlin").value()), 2 * hour);
}

TEST(SystemZoneSource, serves_threads_while_its_files_change) {
  const SmallZoneinfo folder;
  SystemZoneSource source{folder.path()};
  std::atomic<int> wrong_count = 0;
  const auto ask = [&] {
    for (int i = 0; i < 300; ++i) {
      const auto tokyo = source.zone(i % 2 == 0 ? "Asia/Tokyo" : "Old/Edo");
      const auto berlin = source.zone("Europe/Berlin");
      const bool is_right = tokyo && berlin && offset_in_july(*tokyo) == 9 * hour &&
                            (offset_in_july(*berlin) == 2 * hour || offset_in_july(*berlin) == 9 * hour);
      if (!is_right || source.names()->names.size() != 3) ++wrong_count;
    }
  };
  const auto replace = [&] {
    for (int i = 0; i < 40; ++i) {
      folder.write("Europe/Berlin", i % 2 == 0 ? folder.tokyo : folder.berlin);
      std::ignore = source.refresh();
    }
  };

  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back(ask);
    threads.emplace_back(replace);
  }

  EXPECT_EQ(wrong_count, 0);
}

}  // namespace
}  // namespace carillon
