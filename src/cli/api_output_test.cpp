#include "cli/api_output.hpp"

#include "support/command_line_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace carillon {
namespace {

/// A list whose documents are not all of one kind.
Told listed(std::vector<std::string> flags) {
  ScriptedConsole console;
  console.variables["CARILLON_SERVER"] = "http://127.0.0.1:7070";
  ScriptedTransport transport;
  transport.answer("GET /api/v1/schedules?limit=50",
                   R"({"items": [{"id": "a", "revision": 1}, {"id": "b", "note": "x, y"}], "nextPageToken": null})");
  flags.insert(flags.begin(), "list");
  return carillon_on(console, transport, flags);
}

TEST(DocumentsOfTheServer, have_a_column_for_whatever_any_of_them_has) {
  EXPECT_EQ(listed({"-o", "csv"}).output, "id,revision,note\na,1,\nb,,\"x, y\"\n");
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

TEST(DocumentsOfTheServer, have_no_member_that_is_misspelt) {
  const Told told = listed({"--json", "revison"});

  EXPECT_EQ(told.exit_code, 2);
  EXPECT_THAT(told.error, testing::HasSubstr("did you mean revision?"));
}

}  // namespace
}  // namespace carillon
