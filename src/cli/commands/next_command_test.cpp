#include "support/command_line_fixture.hpp"
#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace carillon::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(NextCommand, shows_local_time_utc_distance_and_what_clock_changes_do) {
  const Told told = carillon_says({"next", "30 1 * * *", "--tz", "America/New_York", "-n", "4"});

  EXPECT_EQ(told.exit_code, 0);
  EXPECT_EQ(told.error, "");
  EXPECT_EQ(
      told.output,
      "At 01:30 every day (America/New_York)\n  1  Fri 30 Oct 01:30 EDT   05:30Z   in 15h07m\n  2  Sat 31 Oct 01:30 "
      "EDT   05:30Z   in 1d15h\n  3  Sun  1 Nov 01:30 EDT   05:30Z   in 2d15h    ⚠ 01:30 happens twice this day; "
      "only the first, EDT, counts\n  4  Mon  2 Nov 01:30 EST   06:30Z   in 3d16h    ← UTC shifts by 1 h\n");
}

TEST(NextCommand, says_when_a_skipped_time_runs_instead) {
  const Told told =
      carillon_says({"next", "30 2 * * *", "--tz", "America/New_York", "--after", "2027-03-13T12:00:00Z", "-n", "2"});

  EXPECT_EQ(told.output,
            "At 02:30 every day (America/New_York)\n"
            "  1  Sun 14 Mar 2027 03:00 EDT   07:00Z   in 135d   "
            "⚠ 02:30 does not exist this day (clocks go forward 02:00 → 03:00); runs once at 03:00 EDT\n"
            "  2  Mon 15 Mar 2027 02:30 EDT   06:30Z   in 136d\n");
}

TEST(NextCommand, names_the_day_when_a_gap_ends_on_the_next_one) {
  const Told told =
      carillon_says({"next", "45 23 * * *", "--tz", "Asia/Pyongyang", "--after", "2018-05-04", "-n", "1"});

  EXPECT_THAT(told.output, HasSubstr("Sat  5 May 2018 00:00 KST   Fri 15:00Z"));
  EXPECT_THAT(told.output,
              HasSubstr("23:45 does not exist on Fri  4 May (clocks go forward 23:30 → 00:00); runs once at 00:00"));
}

TEST(NextCommand, tells_the_two_passes_of_a_repeated_time_apart) {
  const Told told =
      carillon_says({"next", "*/30 * * * *", "--tz", "America/New_York", "--after", "2026-11-01T05:00:00Z", "-n", "3"});

  EXPECT_EQ(told.output,
            "Every 30 minutes (America/New_York)\n"
            "  1  Sun  1 Nov 01:30 EDT   05:30Z   in 2d15h   "
            "⚠ 01:30 happens twice this day; this is the first, both count\n"
            "  2  Sun  1 Nov 01:00 EST   06:00Z   in 2d15h   "
            "⚠ 01:00 happens twice this day; this is the second, both count\n"
            "  3  Sun  1 Nov 01:30 EST   06:30Z   in 2d16h   "
            "⚠ 01:30 happens twice this day; this is the second, both count\n");
}

TEST(NextCommand, leaves_out_the_utc_column_in_utc_and_shows_seconds_where_there_are_some) {
  const Told told = carillon_says({"next", "0,30 0 12 * * *", "-n", "2"});

  EXPECT_THAT(told.output, HasSubstr("\n  1  Fri 30 Oct 12:00:00 UTC   in 21h37m\n"
                                     "  2  Fri 30 Oct 12:00:30 UTC   in 21h38m\n"));
}

TEST(NextCommand, goes_back_in_time) {
  const Told told = carillon_says({"next", "0 9 * * *", "--before", "2026-10-29T14:22:05Z", "-n", "2"});

  EXPECT_EQ(told.output,
            "At 09:00 every day\n"
            "  1  Thu 29 Oct 09:00 UTC   5h22m ago\n"
            "  2  Wed 28 Oct 09:00 UTC   1d5h ago\n");
}

TEST(NextCommand, shows_times_in_another_zone_when_asked) {
  const Told told = carillon_says({"next", "0 9 * * *", "--tz", "America/New_York", "--display-tz", "Europe/Berlin",
                                   "--after", "2026-10-31T00:00:00Z", "-n", "2"});

  EXPECT_EQ(told.output,
            "At 09:00 every day (America/New_York)\n"
            "  1  Sat 31 Oct 14:00 CET   13:00Z   in 1d22h\n"
            "  2  Sun  1 Nov 15:00 CET   14:00Z   in 2d23h   "
            "← clocks go back by 1 h in between in America/New_York\n");
}

TEST(NextCommand, shows_all_until_a_time_that_is_not_part_of_it) {
  const Told told = carillon_says({"next", "0 * * * *", "--until", "2026-10-29T22:00:00Z"});

  EXPECT_THAT(told.output, HasSubstr("  7  Thu 29 Oct 21:00 UTC"));
  EXPECT_THAT(told.output, Not(HasSubstr("22:00")));
}

TEST(NextCommand, says_when_nothing_is_left) {
  const Told told = carillon_says({"next", "0 9 * * *", "--until", "2026-10-29T15:00:00Z"});

  EXPECT_EQ(told.exit_code, 0);
  EXPECT_EQ(told.output, "At 09:00 every day\n  no occurrence after 2026-10-29T14:22:05Z until 2026-10-29T15:00:00Z\n");
}

TEST(NextCommand, has_json_with_description_zone_occurrences_and_warnings) {
  const Told told = carillon_says({"next", "0 9 1 * MON", "--tz", "US/Eastern", "-n", "1", "-o", "json"});

  EXPECT_EQ(told.exit_code, 0);
  EXPECT_THAT(told.output, StartsWith(R"json({
  "description": "At 09:00 on the 1st of the month or on any Monday (US/Eastern)",
  "timezone": "US/Eastern",
  "occurrences": [
    {
      "nominal": "2026-11-01T14:00:00Z",
      "due": "2026-11-01T14:00:00Z",
      "local": "2026-11-01T09:00:00-05:00",
      "note": null
    }
  ],
  "warnings": [
    {
      "code": "dom-dow-or",)json"));
  EXPECT_THAT(told.output, HasSubstr(R"("code": "old-zone-name")"));
}

TEST(NextCommand, has_a_note_where_a_clock_change_matters) {
  const Told told = carillon_says({"next", "30 2 * * *", "--tz", "America/New_York", "--after", "2027-03-13T12:00:00Z",
                                   "-n", "1", "--json", "local,note"});

  EXPECT_EQ(told.output, R"([
  {
    "local": "2027-03-14T03:00:00-04:00",
    "note": "02:30 does not exist this day (clocks go forward 02:00 → 03:00); runs once at 03:00 EDT"
  }
]
)");
}

TEST(NextCommand, has_lines_of_json_csv_yaml_and_a_wide_table) {
  const std::vector<std::string> question{"next", "0 9 * * *", "-n", "1", "-o"};
  const auto as = [&question](std::string format) {
    std::vector<std::string> arguments = question;
    arguments.push_back(std::move(format));
    return carillon_says(arguments).output;
  };

  EXPECT_EQ(as("jsonl"),
            "{\"nominal\":\"2026-10-30T09:00:00Z\",\"due\":\"2026-10-30T09:00:00Z\","
            "\"local\":\"2026-10-30T09:00:00+00:00\",\"note\":null}\n");
  EXPECT_EQ(as("csv"),
            "nominal,due,local,note\n2026-10-30T09:00:00Z,2026-10-30T09:00:00Z,2026-10-30T09:00:00+00:00,\n");
  EXPECT_EQ(as("wide"),
            "At 09:00 every day\n"
            "  1  Fri 30 Oct 2026 09:00:00 UTC   2026-10-30T09:00:00Z   due 2026-10-30T09:00:00Z   in 18h37m\n");
  EXPECT_THAT(as("yaml"), StartsWith("description: "));
}

TEST(NextCommand, reads_a_spec_a_schedule_or_one_of_several) {
  struct Case {
    std::string_view text;
    std::vector<std::string> more;
    std::string_view expected;
  };
  const Case cases[] = {
      {"cron: 0 9 * * *\ntimezone: Europe/Berlin\n", {}, "08:00:00Z"},
      {"{\"cron\": [\"0 9 * * *\"]}", {}, "09:00:00Z"},
      {"cron: 0 9 * * *\n", {"--tz", "Europe/Berlin"}, "08:00:00Z"},
      {"cron: 0 9 * * *\ntimezone: UTC\n", {"--tz", "Europe/Berlin"}, "09:00:00Z"},
      {"id: x\nspec: {cron: 0 9 * * *}\naction: {command: {argv: [ls]}}\n", {}, "09:00:00Z"},
      {"schedules: [{id: x, spec: {cron: 0 9 * * *}}]\n", {}, "09:00:00Z"},
      {"id: x\ncron: 0 9 * * *\ncommand: [/bin/date]\n", {}, "09:00:00Z"},
      {"schedules: [{id: x, every: 5m, command: date}]\n", {}, "14:27:05Z"},
      {"schedules: [{id: x, spec: {cron: 0 9 * * *}}, {id: y, spec: {cron: 0 7 * * *}}]\n", {"--id", "y"}, "07:00:00Z"},
      {"intervals: [{every: 1h}]\n", {}, "2026-10-29T15:22:05Z"},
      {"spec: {intervals: [{every: 1h}]}\ncreatedAt: \"2026-10-01T00:10:00Z\"\n", {}, "2026-10-29T15:10:00Z"},
  };
  for (const Case& c : cases) {
    ScriptedConsole console;
    console.input = c.text;
    std::vector<std::string> arguments{"next", "--spec", "-", "-n", "1", "--json", "nominal"};
    arguments.insert(arguments.end(), c.more.begin(), c.more.end());

    const Told told = carillon_on(console, arguments);

    EXPECT_THAT(told.output, HasSubstr(c.expected)) << c.text << told.error;
  }
}

TEST(NextCommand, adds_jitter_to_the_due_time_by_the_name_of_the_schedule) {
  TemporaryFolder folder;
  folder.write("a.yaml", "id: a\nspec: {cron: 0 9 * * *, jitter: 10m}\n");
  folder.write("b.yaml", "id: b\nspec: {cron: 0 9 * * *, jitter: 10m}\n");
  const auto due = [&folder](const char* name) {
    return carillon_says({"next", "--spec", folder.path() / name, "-n", "1", "--json", "due"}).output;
  };

  EXPECT_EQ(due("a.yaml"), due("a.yaml"));
  EXPECT_NE(due("a.yaml"), due("b.yaml"));
}

struct Refusal {
  std::vector<std::string> arguments;
  std::string_view code;
  std::string_view message;
  std::string_view hint;
};

TEST(NextCommand, refuses_what_it_cannot_answer_with_a_hint) {
  const Refusal refusals[] = {
      {{}, "usage", "no expression or schedule given", "--spec FILE"},
      {{"0", "9", "*", "*", "*"}, "usage", "got 5", "put it in quotes"},
      {{"@daily", "--spec", "x.yaml"}, "usage", "give an expression or --spec, not both", "leave one"},
      {{"@daily", "--id", "x"}, "usage", "--id needs --spec", "--spec"},
      {{"@daily", "-n", "0"}, "usage", "-n: invalid value \"0\"", "1 to 100000"},
      {{"@daily", "-n", "100001"}, "usage", "-n: invalid value", "1 to 100000"},
      {{"@daily", "-n"}, "usage", "needs a value", "--help"},
      {{"@daily", "--tz", "UTC", "--tz", "UTC"}, "usage", "--tz is given more than once", "--help"},
      {{"@daily", "-o", "jsn"}, "usage", "unknown format \"jsn\"", "did you mean json?"},
      {{"@daily", "--json", "local,nte"}, "usage", "unknown field \"nte\"", "did you mean note?"},
      {{"@daily", "--colour", "always"}, "usage", "unknown flag \"--colour\" for next", "did you mean --color?"},
      {{"@daily", "--color", "sometimes"}, "usage", "--color: unknown value", "auto, always, never"},
      {{"@daily", "--after", "2026-10-29", "--before", "2026-10-30"},
       "usage",
       "give --after or --before, not both",
       "--until"},
      {{"@daily", "--tz", "EST"}, "unknown-zone", "EST", "America/New_York"},
      {{"@daily", "--display-tz", "Europe/Berln"}, "unknown-zone", "--display-tz: \"Europe/Berln\"", "Europe/Berlin"},
      {{"0 0 31 2 *"}, "never-fires", "31 February never occurs", ""},
      {{"--spec", "/no/such/file.yaml"}, "unreadable-file", "cannot read /no/such/file.yaml", "YAML or JSON"},
      {{"--spec", "/"}, "unreadable-file", "it is a folder", "YAML or JSON"},
  };
  for (const Refusal& refusal : refusals) {
    std::vector<std::string> arguments{"next"};
    arguments.insert(arguments.end(), refusal.arguments.begin(), refusal.arguments.end());

    const Told told = carillon_says(arguments);

    EXPECT_EQ(told.exit_code, 2) << refusal.message;
    EXPECT_EQ(told.output, "") << refusal.message;
    EXPECT_THAT(told.error, HasSubstr(refusal.message));
    EXPECT_THAT(told.error, HasSubstr("[" + std::string{refusal.code} + "] exit 2"));
    EXPECT_THAT(told.error, HasSubstr(refusal.hint));
    EXPECT_THAT(told.error, HasSubstr("\n  Hint: "));
  }
}

TEST(NextCommand, points_at_the_fault_in_an_expression) {
  const Told told = carillon_says({"next", "0 25 * * *"});

  EXPECT_THAT(told.error, HasSubstr("\n  0 25 * * *\n    ^\n  Hint: "));
}

TEST(NextCommand, points_at_the_fault_in_a_file) {
  TemporaryFolder folder;
  folder.write("bad.yaml", "id: x\nspec:\n  cron:\n    - 0 25 * * *\n");

  const Told told = carillon_says({"next", "--spec", folder.path() / "bad.yaml"});

  EXPECT_EQ(told.exit_code, 2);
  EXPECT_THAT(told.error, HasSubstr("\n  0 25 * * *\n    ^\n"));
  EXPECT_THAT(told.error, HasSubstr("bad.yaml:4:7\n"));
}

TEST(NextCommand, wants_one_schedule_of_several_named) {
  TemporaryFolder folder;
  folder.write("two.yaml", "schedules:\n- {id: a, spec: {cron: '@daily'}}\n- {id: b, spec: {cron: '@daily'}}\n");
  const std::string path = folder.path() / "two.yaml";

  const Told unnamed = carillon_says({"next", "--spec", path});
  const Told unknown = carillon_says({"next", "--spec", path, "--id", "c"});

  EXPECT_EQ(unnamed.exit_code, 2);
  EXPECT_THAT(unnamed.error, HasSubstr("choose one with --id: a, b"));
  EXPECT_EQ(unknown.exit_code, 3);
  EXPECT_THAT(unknown.error, HasSubstr("has no schedule \"c\""));
}

}  // namespace
}  // namespace carillon::cli
