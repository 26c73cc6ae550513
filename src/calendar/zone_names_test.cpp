#include "calendar/zone_names.hpp"

#include "base/quoted.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <ctime>
#include <string>
#include <string_view>
#include <vector>

namespace carillon {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

/// A small edition with every kind of name that tzdata has.
ZoneNames some_names() {
  ZoneNames known;
  known.version = "2026f";
  known.links = {
      {"America/Buenos_Aires", "America/Argentina/Buenos_Aires"},
      {"Asia/Calcutta", "Asia/Kolkata"},
      {"Cuba", "America/Havana"},
      {"Etc/Zulu", "Etc/UTC"},
      {"Europe/Kiev", "Europe/Kyiv"},
      {"Europe/Nicosia", "Asia/Nicosia"},
      {"Europe/Stockholm", "Europe/Berlin"},
      {"GB", "Europe/London"},
      {"GMT", "Etc/GMT"},
      {"GMT+0", "Etc/GMT"},
      {"GMT0", "Etc/GMT"},
      {"Greenwich", "Etc/GMT"},
      {"Japan", "Asia/Tokyo"},
      {"NZ", "Pacific/Auckland"},
      {"Pacific/Ponape", "Pacific/Guadalcanal"},
      {"Singapore", "Asia/Singapore"},
      {"UCT", "Etc/UTC"},
      {"US/Eastern", "America/New_York"},
      {"US/Pacific", "America/Los_Angeles"},
      {"UTC", "Etc/UTC"},
      {"Universal", "Etc/UTC"},
      {"Zulu", "Etc/UTC"},
  };
  known.current = {"America/Argentina/Buenos_Aires",
                   "America/Havana",
                   "America/Los_Angeles",
                   "America/New_York",
                   "America/Port-au-Prince",
                   "America/Sao_Paulo",
                   "Asia/Kolkata",
                   "Asia/Nicosia",
                   "Asia/Singapore",
                   "Asia/Tokyo",
                   "Australia/Lord_Howe",
                   "Europe/Berlin",
                   "Europe/Kyiv",
                   "Europe/London",
                   "Europe/Stockholm",
                   "Pacific/Auckland",
                   "Pacific/Guadalcanal",
                   "Pacific/Pohnpei"};
  known.names = {"CET",        "EST",       "EST5EDT", "Etc/GMT", "Etc/GMT+1", "Etc/GMT+5",
                 "Etc/GMT-14", "Etc/GMT-5", "Etc/UTC", "Factory", "HST",       "PST8PDT"};
  for (const auto& [link, target] : known.links) known.names.insert(link);
  known.names.insert(known.current.begin(), known.current.end());
  return known;
}

const ZoneNames known = some_names();

Error error_for(std::string_view name) {
  const auto result = check_zone_name(name, known);
  return result ? Error{.code = ErrorCode::conflict,
                        .message = "accepted",
                        .hint = {},
                        .rule = {},
                        .position = {},
                        .context = {}}
                : result.error();
}

struct Refusal {
  std::string name;
  std::string message;
  std::string hint;
};

void expect_refusals(const std::vector<Refusal>& cases) {
  for (const auto& [name, message, hint] : cases) {
    const Error error = error_for(name);
    EXPECT_EQ(error.message, message) << name;
    EXPECT_EQ(error.hint, hint) << name;
    EXPECT_EQ(error.code, ErrorCode::invalid_argument) << name;
    EXPECT_EQ(error.rule, "unknown-zone") << name;
  }
}

TEST(ZoneName, with_a_region_and_utc_and_gmt_are_accepted) {
  for (const char* name : {"Europe/Berlin", "America/Argentina/Buenos_Aires", "US/Pacific", "Europe/Kiev", "Etc/GMT+5",
                           "Etc/UTC", "UTC", "GMT"}) {
    EXPECT_TRUE(check_zone_name(name, known).has_value()) << name;
  }
}

TEST(ZoneName, utc_is_accepted_without_any_zone_data) {
  EXPECT_TRUE(check_zone_name("UTC", ZoneNames{}).has_value());
  EXPECT_FALSE(check_zone_name("GMT", ZoneNames{}).has_value());
}

TEST(ZoneName, an_abbreviation_is_refused_with_the_zones_it_may_mean) {
  const std::string fault = " is an abbreviation, not the name of a time zone";
  expect_refusals({
      {"EST", "\"EST\"" + fault, "did you mean America/New_York (with daylight saving) or America/Panama (without)?"},
      {"est", "\"est\"" + fault, "did you mean America/New_York (with daylight saving) or America/Panama (without)?"},
      {"MST", "\"MST\"" + fault, "did you mean America/Denver (with daylight saving) or America/Phoenix (without)?"},
      {"HST", "\"HST\"" + fault, "did you mean Pacific/Honolulu?"},
      {"PST", "\"PST\"" + fault, "did you mean America/Los_Angeles?"},
      {"PDT", "\"PDT\"" + fault, "did you mean America/Los_Angeles?"},
      {"CST", "\"CST\"" + fault,
       "did you mean America/Chicago (with daylight saving), America/Costa_Rica (without) or Asia/Shanghai (China)?"},
      {"CET", "\"CET\"" + fault, "did you mean Europe/Berlin, Europe/Paris or another city there?"},
      {"BST", "\"BST\"" + fault, "did you mean Europe/London?"},
      {"IST", "\"IST\"" + fault,
       "did you mean Asia/Kolkata (India), Europe/Dublin (Ireland) or Asia/Jerusalem (Israel)?"},
      {"JST", "\"JST\"" + fault, "did you mean Asia/Tokyo?"},
      {"AEST", "\"AEST\"" + fault,
       "did you mean Australia/Sydney (with daylight saving) or Australia/Brisbane (without)?"},
  });
}

TEST(ZoneName, a_posix_rule_is_refused_with_the_zone_it_may_mean) {
  expect_refusals({
      {"EST5EDT", "\"EST5EDT\" is a POSIX rule, not the name of a time zone", "did you mean America/New_York?"},
      {"PST8PDT", "\"PST8PDT\" is a POSIX rule, not the name of a time zone", "did you mean America/Los_Angeles?"},
      {"EST5EDTX", "\"EST5EDTX\" is not a time zone of tzdata 2026f", "did you mean America/New_York?"},
      {"EST5EDT,M3.2.0,M11.1.0", "\"EST5EDT,M3.2.0,M11.1.0\" is not a time zone of tzdata 2026f",
       "did you mean America/New_York?"},
      {"CET-1CEST", "\"CET-1CEST\" is not a time zone of tzdata 2026f",
       "did you mean Europe/Berlin, Europe/Paris or another city there?"},
  });
}

TEST(ZoneName, an_offset_is_refused_and_the_inverted_sign_of_etc_names_explained) {
  const std::string fault = " is an offset, not the name of a time zone";
  const std::string five_ahead = "write Etc/GMT-5 for 5 hours ahead of UTC; the sign in Etc names is inverted";
  const std::string five_behind = "write Etc/GMT+5 for 5 hours behind UTC; the sign in Etc names is inverted";
  const std::string bounds = "offsets go from 12 hours behind UTC (Etc/GMT+12) to 14 hours ahead of it (Etc/GMT-14)";
  const std::string minutes = "no time zone is named after an offset with minutes; name a place, such as Asia/Kolkata";
  expect_refusals({
      {"GMT+5", "\"GMT+5\"" + fault, five_ahead},
      {"UTC+5", "\"UTC+5\"" + fault, five_ahead},
      {"utc+05:00", "\"utc+05:00\"" + fault, five_ahead},
      {"+0500", "\"+0500\"" + fault, five_ahead},
      {"GMT-5", "\"GMT-5\"" + fault, five_behind},
      {"-05:00", "\"-05:00\"" + fault, five_behind},
      {"Etc/GMT+05", "\"Etc/GMT+05\"" + fault, five_behind},
      {"UTC+1", "\"UTC+1\"" + fault, "write Etc/GMT-1 for 1 hour ahead of UTC; the sign in Etc names is inverted"},
      {"UTC+5:30", "\"UTC+5:30\"" + fault, minutes},
      {"UTC+15", "\"UTC+15\"" + fault, bounds},
      {"Etc/GMT+13", "\"Etc/GMT+13\"" + fault, bounds},
      {"GMT+0", "\"GMT+0\"" + fault, "did you mean UTC?"},
      {"+00:00", "\"+00:00\"" + fault, "did you mean UTC?"},
  });
}

TEST(ZoneName, an_alias_without_region_is_refused_with_its_target) {
  const std::string fault = " is an old alias without a region";
  expect_refusals({
      {"Japan", "\"Japan\"" + fault, "did you mean Asia/Tokyo?"},
      {"singapore", "\"singapore\"" + fault, "did you mean Asia/Singapore?"},
      {"Cuba", "\"Cuba\"" + fault, "did you mean America/Havana?"},
      {"GB", "\"GB\"" + fault, "did you mean Europe/London?"},
      {"NZ", "\"NZ\"" + fault, "did you mean Pacific/Auckland?"},
      {"Zulu", "\"Zulu\"" + fault, "did you mean UTC?"},
      {"UCT", "\"UCT\"" + fault, "did you mean UTC?"},
      {"Universal", "\"Universal\"" + fault, "did you mean UTC?"},
      {"Greenwich", "\"Greenwich\"" + fault, "did you mean GMT or UTC?"},
  });
}

TEST(ZoneName, what_names_no_place_is_refused) {
  const std::string hint = "name a place, such as Europe/Berlin, or UTC";
  expect_refusals({
      {"", "\"\" names no time zone", hint},
      {"Factory", "\"Factory\" names no place", hint},
      {"localtime", "\"localtime\" names no place", hint},
      {"Local", "\"Local\" names no place", hint},
  });
}

TEST(ZoneName, a_path_is_refused_with_the_zone_at_its_end) {
  const std::string fault = " is a path, not the name of a time zone";
  const std::string general = "name a place, such as Europe/Berlin, or UTC; `carillon zones` lists all names";
  expect_refusals({
      {"/usr/share/zoneinfo/Europe/Berlin", "\"/usr/share/zoneinfo/Europe/Berlin\"" + fault,
       "did you mean Europe/Berlin?"},
      {"posix/Europe/Berlin", "\"posix/Europe/Berlin\"" + fault, "did you mean Europe/Berlin?"},
      {"right/Asia/Tokyo", "\"right/Asia/Tokyo\"" + fault, "did you mean Asia/Tokyo?"},
      {"Europe//Berlin", "\"Europe//Berlin\"" + fault, "did you mean Europe/Berlin?"},
      {"./Europe/Berlin", "\"./Europe/Berlin\"" + fault, "did you mean Europe/Berlin?"},
      {"Europe/../Europe/Berlin", "\"Europe/../Europe/Berlin\"" + fault, "did you mean Europe/Berlin?"},
      {"../../etc/passwd", "\"../../etc/passwd\"" + fault, general},
      {"/etc/localtime", "\"/etc/localtime\"" + fault, general},
      {"//", "\"//\"" + fault, general},
  });
}

TEST(ZoneName, a_near_miss_is_answered_with_the_right_name) {
  struct Case {
    const char* name;
    const char* meant;
  };
  const Case cases[] = {
      {"europe/berlin", "Europe/Berlin"},
      {"EUROPE/BERLIN", "Europe/Berlin"},
      {" Europe/Berlin\n", "Europe/Berlin"},
      {"Europe/Berlin/", "Europe/Berlin"},
      {":Europe/Berlin", "Europe/Berlin"},
      {"TZ=Europe/Berlin", "Europe/Berlin"},
      {"utc", "UTC"},
      {"Gmt", "GMT"},
      {"Berlin", "Europe/Berlin"},
      {"Asia/Berlin", "Europe/Berlin"},
      {"New York", "America/New_York"},
      {"america/new york", "America/New_York"},
      {"America/Port au Prince", "America/Port-au-Prince"},
      {"Europe/Berln", "Europe/Berlin"},
      {"Europe/Belrin", "Europe/Berlin"},
      {"Erope/Berlim", "Europe/Berlin"},
      {"America/NewYork", "America/New_York"},
      {"NewYork", "America/New_York"},
      {"Tokio", "Asia/Tokyo"},
      {"America/São_Paulo", "America/Sao_Paulo"},
      {"Lord Howe", "Australia/Lord_Howe"},
      {"Kiev", "Europe/Kyiv"},
      {"asia/calcutta", "Asia/Kolkata"},
      {"Nicosia", "Asia/Nicosia"},
      {"Eastern", "America/New_York"},
  };
  for (const auto& [name, meant] : cases) {
    EXPECT_EQ(error_for(name).hint, fmt::format("did you mean {}?", meant)) << name;
    EXPECT_THAT(error_for(name).message, HasSubstr("is not a time zone of tzdata 2026f")) << name;
  }
}

TEST(ZoneName, a_region_alone_is_refused_with_places_in_it) {
  expect_refusals({
      {"Europe", "\"Europe\" is a region, not a time zone",
       "name a place in it, such as Europe/Berlin, Europe/Kyiv or Europe/London"},
      {"america/argentina/", "\"america/argentina/\" is a region, not a time zone",
       "name a place in it, such as America/Argentina/Buenos_Aires"},
  });
}

TEST(ZoneName, what_resembles_nothing_gets_a_general_hint) {
  for (const char* name : {"Mars/Olympus_Mons", "x", "???", "Europe/Atlantis"}) {
    EXPECT_EQ(error_for(name).hint, "name a place, such as Europe/Berlin, or UTC; `carillon zones` lists all names");
  }
}

TEST(ZoneName, an_edition_without_version_is_not_named) {
  ZoneNames unversioned = known;
  unversioned.version = "unknown";

  const auto result = check_zone_name("Europe/Atlantis", unversioned);

  EXPECT_EQ(result.error().message, "\"Europe/Atlantis\" is not a time zone of tzdata");
}

TEST(ZoneName, a_text_that_does_not_print_is_quoted_with_escapes) {
  EXPECT_THAT(error_for("a\x1b[31m\xff").message, HasSubstr(R"("a\x1b[31m\xff" is not)"));
  EXPECT_THAT(error_for("Zürich-東京").message, HasSubstr("\"Zürich-東京\" is not"));
}

TEST(ZoneName, a_long_text_is_quoted_shortened_and_answered_at_once) {
  const std::string name(10'000'000, 'x');

  const std::clock_t begin = std::clock();
  const Error error = error_for(name);
  const std::clock_t processor_time = std::clock() - begin;

  EXPECT_EQ(error.message,
            fmt::format("\"{}…\" is not a time zone of tzdata 2026f", std::string(quoted_length_max, 'x')));
  // Generous, for slow and sanitized builds; reading all of the text would take longer still.
  EXPECT_LT(processor_time, CLOCKS_PER_SEC / 50);
}

RC_GTEST_PROP(ZoneName, any_text_is_accepted_as_known_or_refused_with_a_hint, (const std::string& text)) {
  const auto result = check_zone_name(text, known);

  const bool is_right = result ? known.names.contains(text) : !result.error().hint.empty();
  RC_ASSERT(is_right);
}

TEST(RenamedZone, is_replaced_by_the_name_its_links_lead_to) {
  EXPECT_EQ(known.renamed_to("US/Pacific"), "America/Los_Angeles");
  EXPECT_EQ(known.renamed_to("Europe/Kiev"), "Europe/Kyiv");
  EXPECT_EQ(known.renamed_to("Asia/Calcutta"), "Asia/Kolkata");
}

TEST(RenamedZone, stays_in_its_place_when_its_link_leads_elsewhere) {
  EXPECT_EQ(known.renamed_to("Pacific/Ponape"), "Pacific/Pohnpei");
}

TEST(RenamedZone, is_none_that_stands_in_the_table_of_countries_or_under_etc) {
  for (const char* name :
       {"Europe/Stockholm", "Europe/Berlin", "Etc/Zulu", "Etc/UTC", "UTC", "GMT", "GB", "Nowhere/Land"}) {
    EXPECT_THAT(known.renamed_to(name), IsEmpty()) << name;
  }
}

TEST(RenamedZone, is_unknown_without_the_table_of_countries) {
  ZoneNames without_table = known;
  without_table.current.clear();

  EXPECT_THAT(without_table.renamed_to("US/Pacific"), IsEmpty());
}

TEST(RenamedZone, follows_several_links_and_survives_a_circle) {
  ZoneNames chained = known;
  chained.links["Old/Older"] = "US/Pacific";
  chained.links["Round/A"] = "Round/B";
  chained.links["Round/B"] = "Round/A";

  EXPECT_EQ(chained.renamed_to("Old/Older"), "America/Los_Angeles");
  EXPECT_FALSE(chained.renamed_to("Round/A").empty());
}

}  // namespace
}  // namespace carillon
