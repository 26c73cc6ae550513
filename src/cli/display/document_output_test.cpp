#include "cli/display/document_output.hpp"

#include "support/command_line_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace carillon::cli {
namespace {

/// A list whose documents are not all of one kind.
Told listed(std::vector<std::string> flags) {
  ScriptedConsole console;
  console.variables["CARILLON_SERVER"] = "http://127.0.0.1:7070";
  ScriptedTransport transport;
  transport.answer("GET /api/v1/schedules?limit=500",
                   R"({"items": [{"id": "a", "revision": 1}, {"id": "b", "note": "x, y"}], "nextPageToken": null})");
  flags.insert(flags.begin(), "list");
  return carillon_on(console, transport, flags);
}

TEST(DocumentsOfTheServer, have_a_column_for_whatever_any_of_them_has) {
  EXPECT_EQ(listed({"-o", "csv"}).output, "id,revision,note\na,1,\nb,,\"x, y\"\n");
}

TEST(DocumentsOfTheServer, are_flat_in_a_spreadsheet) {
  ScriptedConsole console;
  console.variables["CARILLON_SERVER"] = "http://127.0.0.1:7070";
  ScriptedTransport transport;
  transport.answer(
      "GET /api/v1/schedules?limit=500",
      R"({"items": [{"id": "a", "spec": {"cron": ["0 9 * * *", "5 9 * * *"], "timezone": "UTC"}, "pause": null},)"
      R"({"id": "b", "spec": {"timezone": "UTC"}, "pause": {"reason": "x"}, "recentRuns": [{}, {}]}]})");

  const Told told = carillon_on(console, transport, {"list", "-o", "csv"});

  EXPECT_EQ(told.output,
            "id,spec.cron,spec.timezone,pause.reason,recentRuns\n"
            "a,0 9 * * *;5 9 * * *,UTC,,\n"
            "b,,UTC,x,2\n");
}

TEST(DocumentsOfTheServer, with_members_picked_come_in_the_form_asked_for) {
  EXPECT_EQ(listed({"--json", "id,note", "-o", "jsonl"}).output,
            "{\"id\":\"a\",\"note\":null}\n{\"id\":\"b\",\"note\":\"x, y\"}\n");
  EXPECT_EQ(listed({"--json", "note,id", "-o", "csv"}).output, "note,id\n,a\n\"x, y\",b\n");
}

/// A list with one document that wants to change the terminal, or the spreadsheet.
Told hostile(std::vector<std::string> flags) {
  ScriptedConsole console;
  console.variables["CARILLON_SERVER"] = "http://127.0.0.1:7070";
  ScriptedTransport transport;
  const std::string csi{"\xc2\x9b"};
  const std::string body = R"j({"items": [{"id": "a", "error": "\u001b]0;x\u0007)j" + csi +
                           R"j(2J\u007f\u202etxt\r", "formula": "=HYPERLINK(1)", "offset": "+02:00", "minus": -5}]})j";
  transport.answer("GET /api/v1/schedules?limit=500", body);
  flags.insert(flags.begin(), "list");
  return carillon_on(console, transport, flags);
}

TEST(DocumentsOfTheServer, do_not_reach_the_terminal_with_control_characters) {
  const std::string escaped = R"("\u001b]0;x\u0007\u009b2J\u007f\u202etxt\r")";
  EXPECT_TRUE(hostile({"-o", "json"}).output.contains(escaped)) << hostile({"-o", "json"}).output;
  EXPECT_TRUE(hostile({"-o", "jsonl"}).output.contains(escaped));
  EXPECT_TRUE(hostile({"--json", "error"}).output.contains(escaped));
  EXPECT_TRUE(hostile({"-o", "csv"}).output.contains(R"(\x1b]0;x\x07\u009b2J\x7f\u202etxt\r)"));
  for (const auto& flags : {std::vector<std::string>{"-o", "yaml"}, {"-o", "json", "--debug"}}) {
    const Told told = hostile(flags);
    for (const std::string_view harmful : {"\x1b", "\x07", "\xc2\x9b", "\x7f", "\r"})
      EXPECT_FALSE((told.output + told.error).contains(harmful)) << told.output << told.error;
  }
}

TEST(DocumentsOfTheServer, are_no_formulas_in_a_spreadsheet) {
  const std::string text = hostile({"-o", "csv"}).output;

  EXPECT_TRUE(text.ends_with(",'=HYPERLINK(1),+02:00,-5\n")) << text;
}

TEST(DocumentsOfTheServer, may_lack_what_is_asked_for) {
  EXPECT_EQ(listed({"--json", "id,note"}).output, R"([
  {
    "id": "a",
    "note": null
  },
  {
    "id": "b",
    "note": "x, y"
  }
]
)");
}

TEST(DocumentsOfTheServer, are_shown_as_they_are) {
  EXPECT_EQ(listed({"-o", "jsonl"}).output, "{\"id\":\"a\",\"revision\":1}\n{\"id\":\"b\",\"note\":\"x, y\"}\n");
}

TEST(DocumentsOfTheServer, have_names) { EXPECT_EQ(listed({"-q"}).output, "a\nb\n"); }

TEST(DocumentsOfTheServer, have_names_without_control_characters) {
  ScriptedConsole console;
  console.variables["CARILLON_SERVER"] = "http://127.0.0.1:7070";
  ScriptedTransport transport;
  transport.answer("GET /api/v1/schedules?limit=500",
                   R"({"items": [{"id": "\u001b[2Ja\u202e"}], "nextPageToken": null})");

  EXPECT_EQ(carillon_on(console, transport, {"list", "-q"}).output, "\\x1b[2Ja\\u202e\n");
}

TEST(DocumentsOfTheServer, have_no_member_that_is_misspelt) {
  const Told told = listed({"--json", "revison"});

  EXPECT_EQ(told.exit_code, 2);
  EXPECT_THAT(told.error, ::testing::HasSubstr("did you mean revision?"));
}

}  // namespace
}  // namespace carillon::cli
