#include "crontab/proof.hpp"
#include "support/test_zones.hpp"
#include "zones/system_zone_source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <rapidcheck/gtest.h>

#include <array>

namespace carillon {
namespace {

using carillon::testing::at;
using ::testing::HasSubstr;
using ::testing::SizeIs;

SystemZoneSource& zones() {
  static SystemZoneSource source;
  return source;
}

std::vector<Proof> proofs_of(std::string_view text, const std::string& zone, Instant from, Instant to) {
  const CrontabOptions options{.form = CrontabForm::user, .timezone = zone, .home = "/"};
  const Crontab crontab = read_crontab(text, options, *zones().names());
  auto proofs = prove(crontab.lines, from, to, zones());
  EXPECT_TRUE(proofs.has_value()) << proofs.error().message;
  return std::move(proofs).value_or(std::vector<Proof>{});
}

/// Every difference is a clock change that has a name.
bool is_explained(const Proof& proof) {
  return std::ranges::all_of(proof.differences, [](const StartDifference& difference) {
    return difference.why.starts_with("clocks go from") && difference.why.contains(": c");
  });
}

std::string shown(const Proof& proof) {
  std::string text =
      fmt::format("line {}, {} starts of cron and {} of ours", proof.line, proof.count_cron, proof.count_ours);
  for (const StartDifference& difference : proof.differences) text += "\n" + difference.local + " " + difference.why;
  return text;
}

TEST(CrontabOracle, usual_lines_start_as_before_in_every_zone_of_the_machine) {
  constexpr std::string_view text =
      "*/15 0-4 * * * a\n30 * * * * b\n@hourly c\n@daily d\n@weekly e\n@monthly f\n@yearly g\n"
      "30 2 * * * h\n0 3 * * 0 i\n15 0 * * 1-5 j\n0 1 */2 * sun k\n*/20 3 * * * l\n5 * 1,15 * mon m\n59 23 31 * * "
      "n\n";
  std::size_t zone_count = 0;
  for (const std::string& zone : zones().names()->names) {
    if (!check_zone_name(zone, *zones().names())) continue;
    ++zone_count;
    for (const Proof& proof : proofs_of(text, zone, at("2026-03-01T00:00:00Z"), at("2026-05-01T00:00:00Z")))
      EXPECT_TRUE(proof.is_clean()) << zone << " " << shown(proof);
    for (const Proof& proof : proofs_of(text, zone, at("2026-09-01T00:00:00Z"), at("2026-11-15T00:00:00Z")))
      EXPECT_TRUE(proof.is_clean()) << zone << " " << shown(proof);
  }
  EXPECT_GT(zone_count, 300U);
}

struct PastJump {
  std::string_view zone;
  std::string_view from;
  std::string_view to;
  std::string_view line;
  std::string_view why;
};

TEST(CrontabOracle, jumps_of_the_past_that_cron_reads_otherwise_are_named) {
  for (const auto& [zone, from, to, line, why] : {
           PastJump{"Antarctica/Casey", "2020-10-01T00:00:00Z", "2020-10-10T00:00:00Z", "30 1 * * * cmd\n",
                    "cron does not catch up after a jump of three hours or more"},
           PastJump{"America/New_York", "2026-03-01T00:00:00Z", "2026-03-20T00:00:00Z", "10,20 2 * * * cmd\n",
                    "once for each of its times that were skipped"},
           PastJump{"Pacific/Kwajalein", "1969-09-25T00:00:00Z", "1969-10-05T00:00:00Z", "30 12 * * * cmd\n",
                    "starts again what the clock repeats"},
       }) {
    const std::vector<Proof> proofs = proofs_of(line, std::string{zone}, at(from), at(to));
    ASSERT_THAT(proofs, SizeIs(1));
    ASSERT_EQ(proofs[0].difference_count, 1U) << shown(proofs[0]);
    EXPECT_THAT(proofs[0].differences[0].why, HasSubstr(std::string{why}));
  }
}

TEST(CrontabOracle, a_day_that_a_zone_left_out_is_not_made_up_by_either) {
  for (const Proof& proof : proofs_of("0 12 * * * cmd\n* * * * * cmd\n", "Pacific/Apia", at("2011-12-25T00:00:00Z"),
                                      at("2012-01-05T00:00:00Z")))
    EXPECT_TRUE(proof.is_clean()) << shown(proof);
}

rc::Gen<std::string> any_item(int min, int max, const std::vector<std::string>& names) {
  const auto value = rc::gen::inRange(min, max + 1);
  const auto step = rc::gen::inRange(1, max + 2);
  const auto range = rc::gen::map(rc::gen::pair(value, value), [](std::pair<int, int> ends) {
    return fmt::format("{}-{}", std::min(ends.first, ends.second), std::max(ends.first, ends.second));
  });
  const auto name =
      rc::gen::exec([names, value] { return names.empty() ? fmt::format("{}", *value) : *rc::gen::elementOf(names); });
  return rc::gen::weightedOneOf<std::string>(
      {{4, rc::gen::just(std::string{"*"})},
       {3, rc::gen::map(value, [](int n) { return fmt::format("{}", n); })},
       {2, rc::gen::map(step, [](int n) { return fmt::format("*/{}", n); })},
       {2, range},
       {2, rc::gen::map(rc::gen::pair(range, step),
                        [](const std::pair<std::string, int>& parts) {
                          return fmt::format("{}/{}", parts.first, parts.second);
                        })},
       {1, rc::gen::map(rc::gen::pair(value, value),
                        [](std::pair<int, int> ends) { return fmt::format("{}~{}", ends.first, ends.second); })},
       {1, name}});
}

rc::Gen<std::string> any_field(int min, int max, const std::vector<std::string>& names = {}) {
  const auto item = any_item(min, max, names);
  return rc::gen::exec([item] {
    const int count = *rc::gen::weightedElement<int>({{6, 1}, {2, 2}, {1, 3}});
    std::vector<std::string> items;
    for (int i = 0; i < count; ++i) items.push_back(*item);
    return fmt::format("{}", fmt::join(items, ","));
  });
}

rc::Gen<std::string> any_line() {
  return rc::gen::exec([] {
    const std::array<std::string, 5> fields{*any_field(0, 59), *any_field(0, 23), *any_field(1, 31),
                                            *any_field(1, 12, {"jan", "Feb", "DEC", "mar-may"}),
                                            *any_field(0, 7, {"sun", "Mon", "fri-SUN", "tue-thu", "7-7"})};
    const std::string zone = *rc::gen::weightedElement<std::string>({{4, ""}, {1, "CRON_TZ=America/Sao_Paulo\n"}});
    return fmt::format("{}{} cmd\n", zone, fmt::join(fields, " "));
  });
}

RC_GTEST_PROP(CrontabOracleProperty, whatever_is_imported_starts_as_before_or_the_clock_change_is_named, ()) {
  const std::string text = *any_line();
  const auto zone = *rc::gen::element<std::string>("UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe");

  for (const Proof& proof : proofs_of(text, zone, at("2026-01-01T00:00:00Z"), at("2028-01-01T00:00:00Z"))) {
    RC_TAG(proof.is_clean() ? "clean" : "named");
    if (!is_explained(proof)) RC_FAIL(zone + " " + text + shown(proof));
    if (zone == "UTC") RC_ASSERT(proof.is_clean());
  }
}

/// Clock changes are where readings part; so look at two days around one.
RC_GTEST_PROP(CrontabOracleProperty, lines_in_the_hours_of_a_clock_change_agree_or_are_named, ()) {
  struct Change {
    std::string zone;
    std::string_view at;
  };
  const auto change = *rc::gen::element<Change>(
      Change{"Europe/Berlin", "2026-03-29T01:00:00Z"}, Change{"Europe/Berlin", "2026-10-25T01:00:00Z"},
      Change{"America/New_York", "2026-03-08T07:00:00Z"}, Change{"America/New_York", "2026-11-01T06:00:00Z"},
      Change{"Australia/Lord_Howe", "2026-10-03T15:30:00Z"}, Change{"Australia/Lord_Howe", "2026-04-04T15:00:00Z"},
      Change{"Asia/Pyongyang", "2018-05-04T15:00:00Z"}, Change{"Antarctica/Casey", "2020-10-03T16:01:00Z"},
      Change{"Pacific/Apia", "2011-12-30T10:00:00Z"}, Change{"America/Caracas", "2016-05-01T07:00:00Z"});
  const std::string text =
      fmt::format("{} {} * * {} cmd\n", *any_field(0, 59), *any_field(0, 4), *any_field(0, 7, {"sun", "sat"}));
  const Instant middle = at(change.at);

  for (const Proof& proof : proofs_of(text, change.zone, middle - std::chrono::days{1}, middle + std::chrono::days{1}))
    if (!is_explained(proof)) RC_FAIL(change.zone + " " + text + shown(proof));
}

}  // namespace
}  // namespace carillon
