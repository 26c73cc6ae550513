#include "support/command_line_fixture.hpp"
#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace carillon::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(LintCommand, is_silent_about_what_is_meant) {
  const Told told = carillon_says({"lint", "0 9 * * 1-5"});

  EXPECT_EQ(told.exit_code, 0);
  EXPECT_EQ(told.output, "no findings\n");
}

TEST(LintCommand, ends_by_the_worst_it_has_seen) {
  struct Case {
    std::vector<std::string> targets;
    int exit_code;
    std::string_view code;
    std::string_view summary;
  };
  const Case cases[] = {
      {{"0 9 1 * MON"}, 7, "warning  dom-dow-or", "1 warning in 1 expression\n"},
      {{"0 9 1 * MON", "0 9 2 * MON"}, 7, "dom-dow-or", "2 warnings in 2 expressions\n"},
      {{"0 0 31 2 *"}, 7, "error  never-fires", "1 error in 1 expression\n"},
      {{"0 25 * * *"}, 2, "\"0 25 * * *\":3  error  invalid-cron", "1 error in 1 expression\n"},
      {{"0 9 1 * MON", "0 25 * * *"}, 2, "invalid-cron", "1 warning, 1 error in 2 expressions\n"},
      {{"nothing.yaml"}, 2, "nothing.yaml  error  unreadable-file", "1 error in 1 file\n"},
      {{"nothing.yaml", "0 9 1 * MON"}, 2, "unreadable-file", "1 warning, 1 error in 1 file and 1 expression\n"},
  };
  for (const Case& c : cases) {
    std::vector<std::string> arguments{"lint"};
    arguments.insert(arguments.end(), c.targets.begin(), c.targets.end());

    const Told told = carillon_says(arguments);

    EXPECT_EQ(told.exit_code, c.exit_code) << c.targets.front();
    EXPECT_THAT(told.output, HasSubstr(c.code));
    EXPECT_THAT(told.output, ::testing::EndsWith(c.summary));
    EXPECT_EQ(told.error, "");
  }
}

TEST(LintCommand, knows_the_clock_changes_of_the_zone) {
  const Told told = carillon_says({"lint", "30 2 * * *", "--tz", "America/New_York"});

  EXPECT_EQ(told.exit_code, 7);
  EXPECT_THAT(told.output, HasSubstr("dst-gap"));
}

TEST(LintCommand, names_file_line_and_column) {
  TemporaryFolder folder;
  folder.write("b.yaml", "id: report\nspec:\n  cron:\n    - 0 9 1 * MON\n  timezone: US/Eastern\n");
  folder.write("a/x.yml", "schedules:\n  - {id: a, spec: {cron: 0 25 * * *}}\n");
  folder.write("c.json", "{\"timezone\": \"Nowhere\",\n \"cron\": \"0 9 * * *\"}");
  folder.write("d.txt", "nonsense");

  const Told told = carillon_says({"lint", folder.path(), "--json", "line,column,code,severity"});

  EXPECT_EQ(told.exit_code, 2);
  EXPECT_EQ(told.output, R"([
  {
    "line": 2,
    "column": 26,
    "code": "invalid-cron",
    "severity": "error"
  },
  {
    "line": 4,
    "column": 7,
    "code": "dom-dow-or",
    "severity": "warning"
  },
  {
    "line": 5,
    "column": 13,
    "code": "old-zone-name",
    "severity": "warning"
  },
  {
    "line": 1,
    "column": 14,
    "code": "unknown-zone",
    "severity": "error"
  }
]
)");
}

TEST(LintCommand, has_json_with_null_where_there_is_nothing_to_say) {
  const Told told = carillon_says({"lint", "0 25 * * *", "-o", "json"});

  EXPECT_THAT(told.output, StartsWith(R"([
  {
    "file": null,
    "line": 1,
    "column": 3,
    "code": "invalid-cron",
    "severity": "error",
    "message": ")"));
  EXPECT_EQ(carillon_says({"lint", "0 9 * * *", "-o", "json"}).output, "[]\n");
}

TEST(LintCommand, reads_whole_schedules_in_short_form_as_apply_does) {
  TemporaryFolder folder;
  folder.write("good.yaml", "id: heartbeat\nevery: 5m\ncommand: [/bin/date]\n");
  folder.write("odd.yaml", "id: report\ncron: 0 9 1 * MON\ncommand: [/bin/date]\n");
  folder.write("bad.yaml", "id: broken\nevery: 5m\ncommand: [/bin/date]\npolicies: {overlap: sometimes}\nzzzzzz: 1\n");

  const Told good = carillon_says({"lint", folder.path() / "good.yaml"});
  const Told odd = carillon_says({"lint", folder.path() / "odd.yaml"});
  const Told bad = carillon_says({"lint", folder.path() / "bad.yaml"});

  EXPECT_EQ(good.exit_code, 0) << good.output;
  EXPECT_EQ(odd.exit_code, 7) << odd.output;
  EXPECT_THAT(odd.output, HasSubstr("odd.yaml:2:"));
  EXPECT_EQ(bad.exit_code, 2) << bad.output;
  EXPECT_THAT(bad.output, HasSubstr("bad.yaml:4:"));
  for (const char* key : {"every", "command", "cron", "action", "spec"})
    EXPECT_THAT(bad.output, HasSubstr(std::string{", "} + key + ",")) << key;
}

TEST(LintCommand, tells_where_a_text_stops_being_a_document) {
  TemporaryFolder folder;
  folder.write("bad.yaml", "a: 1\nb: [\n");

  const Told told = carillon_says({"lint", folder.path() / "bad.yaml"});

  EXPECT_EQ(told.exit_code, 2);
  EXPECT_THAT(told.output, HasSubstr("bad.yaml:"));
  EXPECT_THAT(told.output, HasSubstr("error  invalid-yaml"));
}

TEST(LintCommand, names_the_place_of_a_fault_once_and_knows_an_empty_file) {
  TemporaryFolder folder;
  folder.write("tab.yaml", "id: t\n\tcron: '@daily'\n");
  folder.write("empty.yaml", "");

  const Told told = carillon_says({"lint", folder.path()});

  EXPECT_EQ(told.exit_code, 2);
  EXPECT_THAT(told.output, HasSubstr("tab.yaml:2:1    error  invalid-yaml  a tab in the indentation. Fix: "));
  EXPECT_THAT(told.output, HasSubstr("error  empty         the file is empty. Fix: "));
}

TEST(LintCommand, says_when_a_folder_has_nothing_to_read) {
  TemporaryFolder folder;

  const Told told = carillon_says({"lint", folder.path()});

  EXPECT_EQ(told.exit_code, 0);
  EXPECT_THAT(told.error, StartsWith("note: no .yaml, .yml or .json file in "));
}

TEST(LintCommand, wants_something_to_look_at) {
  const Told told = carillon_says({"lint"});

  EXPECT_EQ(told.exit_code, 2);
  EXPECT_THAT(told.error, HasSubstr("nothing to check was given"));
}

}  // namespace
}  // namespace carillon::cli
