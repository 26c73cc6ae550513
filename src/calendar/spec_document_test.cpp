#include "calendar/spec_document.hpp"

#include "document/document.hpp"
#include "support/test_zones.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>

#include <string>
#include <vector>

namespace carillon {
namespace {

using namespace std::chrono_literals;
using testing::at;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Checked<Spec> read_json(std::string_view text) { return read_spec(parse_json(text).value()); }
Checked<Spec> read_yaml(std::string_view text) { return read_spec(parse_yaml(text).value().root); }

std::vector<std::string> places(const Checked<Spec>& checked) {
  std::vector<std::string> found;
  if (!checked) {
    for (const Problem& problem : checked.error()) found.push_back(problem.pointer + " " + std::string{problem.code});
  }
  return found;
}

constexpr std::string_view full_yaml = R"(
cron: ["0 2 * * *", "@daily"]
calendars:
  - {hour: "9", dayOfWeek: MON-FRI, comment: office hours}
  - {minute: [{start: 0, end: 30, step: 15}], hour: 9}
intervals: [{every: 1h, offset: 5m, anchor: epoch}]
times: ["2027-01-31T09:00:00Z"]
exclude: [{month: "12", dayOfMonth: "25"}]
timezone: Europe/Berlin
startAt: 2026-01-01T00:00:00Z
endAt: 2028-01-01T00:00:00+01:00
jitter: PT10M
dst: literal
)";

TEST(SpecDocument, reads_every_member) {
  const Checked<Spec> spec = read_yaml(full_yaml);

  ASSERT_TRUE(spec) << ::testing::PrintToString(places(spec));
  EXPECT_THAT(spec->crons, ElementsAre("0 2 * * *", "@daily"));
  ASSERT_EQ(spec->calendars.size(), 2U);
  EXPECT_EQ(spec->calendars[0].hour, CalendarField{"9"});
  EXPECT_EQ(spec->calendars[0].minute, CalendarField{"0"});
  EXPECT_EQ(spec->calendars[0].comment, "office hours");
  EXPECT_EQ(spec->calendars[1].minute, (CalendarField{std::vector<CalendarRange>{{0, 30, 15}}}));
  EXPECT_EQ(spec->calendars[1].hour, CalendarField{"9"});
  EXPECT_THAT(spec->intervals, ElementsAre(Interval{.every = 1h, .offset = 5min, .anchor = Anchor::epoch}));
  EXPECT_THAT(spec->times, ElementsAre(at("2027-01-31T09:00:00Z")));
  EXPECT_EQ(spec->exclude[0].hour, CalendarField{"*"});
  EXPECT_EQ(spec->timezone, "Europe/Berlin");
  EXPECT_EQ(spec->start_at, at("2026-01-01T00:00:00Z"));
  EXPECT_EQ(spec->end_at, at("2027-12-31T23:00:00Z"));
  EXPECT_EQ(spec->jitter, 10min);
  EXPECT_EQ(spec->dst, DstPolicy::literal);
}

TEST(SpecDocument, an_empty_spec_is_legal_and_takes_the_default_zone) {
  const Checked<Spec> spec = read_spec(parse_json("{}").value(), "Europe/Berlin");

  ASSERT_TRUE(spec);
  EXPECT_TRUE(spec->is_empty());
  EXPECT_EQ(spec->timezone, "Europe/Berlin");
}

TEST(SpecDocument, one_cron_may_stand_without_a_list_and_keeps_its_text) {
  const Checked<Spec> spec = read_json(R"({"cron": " 0  9 * * mon-FRI "})");

  ASSERT_TRUE(spec);
  EXPECT_THAT(spec->crons, ElementsAre(" 0  9 * * mon-FRI "));
}

TEST(SpecDocument, the_canonical_form_has_every_member_in_order) {
  const Spec spec = read_json(R"({"intervals": [{"every": "PT90M"}]})").value();

  EXPECT_EQ(boost::json::serialize(write_spec(spec)),
            R"({"cron":[],"calendars":[],"intervals":[{"every":"1h30m","offset":"0s","anchor":"creation"}],"times":[],)"
            R"("exclude":[],"timezone":"UTC","startAt":null,"endAt":null,"jitter":"0s","dst":"cron"})");
}

TEST(SpecDocument, what_is_written_reads_back_the_same_as_json_and_as_yaml) {
  const Spec spec = read_yaml(full_yaml).value();
  const boost::json::object written = write_spec(spec);

  const Checked<Spec> from_json = read_json(boost::json::serialize(written));
  const Checked<Spec> from_yaml = read_yaml(to_yaml(written));

  ASSERT_TRUE(from_json && from_yaml);
  EXPECT_EQ(*from_json, spec);
  EXPECT_EQ(*from_yaml, spec);
  EXPECT_EQ(write_spec(*from_json), written);
}

TEST(SpecDocument, reports_every_fault_with_its_place) {
  const Checked<Spec> spec = read_json(R"({
    "cron": ["0 9 * * 1-5", "61 * * * *", 5],
    "calendars": [{"hour": "25", "colour": "red"}, {"dayOfMonth": "30", "month": "FEB"}, {"minute": [{"end": 3}]}],
    "intervals": [{"every": "0s"}, {"every": "1h", "offset": "2h"}, {"anchor": "epoch"}, {"every": "1h", "anchor": "start"}],
    "times": ["yesterday", 3],
    "timezone": 7,
    "jitter": "soon",
    "dst": "maybe",
    "crom": "* * * * *"
  })");

  EXPECT_THAT(places(spec),
              ::testing::UnorderedElementsAre(
                  "/cron/1 invalid-cron", "/cron/2 wrong-type", "/calendars/0/hour invalid-cron",
                  "/calendars/0/colour unknown-key", "/calendars/1 never-fires", "/calendars/2/minute/0/start missing",
                  "/intervals/0/every out-of-range", "/intervals/1/offset out-of-range", "/intervals/2/every missing",
                  "/intervals/3/anchor missing-start", "/times/0 invalid-time", "/times/1 invalid-time",
                  "/timezone wrong-type", "/jitter invalid-duration", "/dst invalid-word", "/crom unknown-key"));
}

TEST(SpecDocument, a_near_miss_of_a_key_is_suggested) {
  const Checked<Spec> spec = read_json(R"({"timezon": "UTC"})");

  ASSERT_FALSE(spec);
  EXPECT_THAT(spec.error()[0].hint, HasSubstr("timezone"));
}

TEST(SpecDocument, an_end_before_the_start_is_refused) {
  EXPECT_THAT(places(read_json(R"({"startAt": "2027-01-01T00:00:00Z", "endAt": "2026-01-01T00:00:00Z"})")),
              ElementsAre("/endAt out-of-range"));
}

TEST(SpecDocument, too_many_rules_are_refused) {
  std::string crons;
  for (std::size_t i = 0; i <= spec_rules_max; ++i) crons += R"("* * * * *",)";
  crons.pop_back();

  EXPECT_THAT(places(read_json(R"({"cron": [)" + crons + "]}")), ElementsAre("/cron too-many"));
}

TEST(SpecDocument, something_else_than_an_object_is_refused) {
  EXPECT_THAT(places(read_json("[]")), ElementsAre(" not-an-object"));
  EXPECT_THAT(places(read_json("null")), ElementsAre(" not-an-object"));
}

}  // namespace
}  // namespace carillon
