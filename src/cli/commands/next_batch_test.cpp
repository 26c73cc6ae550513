#include "cli/commands/next_batch.hpp"

#include "support/command_line_fixture.hpp"
#include "support/test_zones.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace carillon::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string answer_to(std::string_view line) {
  FixedZoneSource zones;
  BatchAnswerer answerer{zones, "Europe/Berlin", carillon::testing::at("2026-10-29T14:22:05Z")};
  std::string out;
  answerer.answer(line, out);
  return out;
}

TEST(Batch, answers_by_count_or_by_time_forward_or_back) {
  struct Case {
    std::string_view question;
    std::string_view answer;
  };
  const Case cases[] = {
      {R"({"spec":{"cron":"0 9 * * *"},"after":"2026-11-01T00:00:00Z"})", R"({"next":["2026-11-01T08:00:00Z"]})"},
      {R"({"spec":{"cron":"0 9 * * *","timezone":"America/New_York"},"after":"2026-10-31T13:00:00Z","count":2})",
       R"({"next":["2026-11-01T14:00:00Z","2026-11-02T14:00:00Z"]})"},
      {R"({"spec":{"cron":["0 9 * * *"]},"before":"2026-11-02T08:00:00Z","count":2})",
       R"({"next":["2026-11-01T08:00:00Z","2026-10-31T08:00:00Z"]})"},
      {R"({"spec":"0 9 * * *","after":"2026-11-01T00:00:00Z","until":"2026-11-02T08:00:00Z"})",
       R"({"next":["2026-11-01T08:00:00Z"]})"},
      {R"({"spec":"0 9 * * *","before":"2026-11-02T08:00:00Z","until":"2026-10-31T08:00:00Z"})",
       R"({"next":["2026-11-01T08:00:00Z","2026-10-31T08:00:00Z"]})"},
      {R"({"spec":"0 9 * * *"})", R"({"next":["2026-10-30T08:00:00Z"]})"},
      {R"({"spec":"0 9 * * *","count":0})", R"({"next":[]})"},
      {R"({"spec":{"times":["2027-01-31T09:00:00Z"]},"count":5})", R"({"next":["2027-01-31T09:00:00Z"]})"},
      {R"({"spec":{"times":["2026-01-31T09:00:00.5Z"]},"before":"2027-01-01T00:00:00Z"})",
       R"({"next":["2026-01-31T09:00:00.5Z"]})"},
      {R"({"spec":{},"count":5})", R"({"next":[]})"},
      {R"({"spec":{"intervals":[{"every":"1h"}]}})", R"({"next":["2026-10-29T15:22:05Z"]})"},
      {R"({"spec":{"intervals":[{"every":"1h"}]},"createdAt":"2026-01-01T00:10:00Z"})",
       R"({"next":["2026-10-29T15:10:00Z"]})"},
      {R"({"spec":"0 9 * * *","after":null,"count":null,"until":null})", R"({"next":["2026-10-30T08:00:00Z"]})"},
  };
  for (const Case& c : cases) EXPECT_EQ(answer_to(c.question), std::string{c.answer} + "\n") << c.question;
}

TEST(Batch, answers_a_bad_question_with_code_and_position) {
  struct Case {
    std::string_view question;
    std::string_view code;
    std::string_view position;
  };
  const Case cases[] = {
      {"{", "invalid-json", "1"},
      {"nonsense", "invalid-json", ""},
      {R"({"spec":"@daily"} x)", "invalid-json", "18"},
      {"\"\xff\"", "invalid-json", ""},
      {"[]", "not-an-object", "null"},
      {"{}", "missing", "null"},
      {R"({"spec":7})", "not-an-object", "null"},
      {R"({"spec":"0 25 * * *"})", "invalid-cron", "2"},
      {R"({"spec":{"cron":"0 25 * * *"}})", "invalid-cron", "2"},
      {R"({"spec":"0 0 31 2 *"})", "never-fires", ""},
      {R"({"spec":{"cron":"@daily","timezone":"Nowhere/At_All"}})", "unknown-zone", "null"},
      {R"({"spec":{"cronn":"@daily"}})", "unknown-key", "null"},
      {R"({"spec":"@daily","cuont":1})", "unknown-key", "null"},
      {R"({"spec":"@daily","count":"1"})", "wrong-type", "null"},
      {R"({"spec":"@daily","count":1.5})", "wrong-type", "null"},
      {R"({"spec":"@daily","count":-1})", "out-of-range", "null"},
      {R"({"spec":"@daily","count":1000001})", "out-of-range", "null"},
      {R"({"spec":"@daily","after":1})", "wrong-type", "null"},
      {R"({"spec":"@daily","after":"yesterday"})", "invalid-time", ""},
      {R"({"spec":"@daily","after":"2026-01-01T00:00:00Z","before":"2026-01-01T00:00:00Z"})", "invalid-request",
       "null"},
      {R"({"spec":"* * * * * *","until":"2027-10-01T00:00:00Z"})", "too-many", "null"},
  };
  for (const Case& c : cases) {
    const std::string answer = answer_to(c.question);

    EXPECT_THAT(answer, StartsWith("{\"error\":{\"code\":\"" + std::string{c.code} + "\",\"message\":\""))
        << c.question;
    EXPECT_THAT(answer, HasSubstr(",\"position\":" + std::string{c.position})) << c.question;
    EXPECT_THAT(answer, ::testing::EndsWith("}}\n"));
  }
}

TEST(Batch, cuts_an_answer_by_time_when_a_count_is_given_too) {
  EXPECT_EQ(answer_to(R"({"spec":"0 * * * *","until":"2027-10-01T00:00:00Z","count":1})"),
            "{\"next\":[\"2026-10-29T15:00:00Z\"]}\n");
}

TEST(Batch, takes_lines_from_standard_input_until_its_end) {
  ScriptedConsole console;
  console.input = "{\"spec\":\"0 9 * * *\"}\r\n\n   \n{\"spec\":7}\n{\"spec\":\"0 9 * * *\",\"count\":0}";

  const Told told = carillon_on(console, {"next", "--batch", "--tz", "America/New_York"});

  EXPECT_EQ(told.exit_code, 0);
  EXPECT_EQ(told.error, "");
  EXPECT_THAT(told.output, StartsWith("{\"next\":[\"2026-10-30T13:00:00Z\"]}\n{\"error\":"));
  EXPECT_THAT(told.output, ::testing::EndsWith("\n{\"next\":[]}\n"));
}

TEST(Batch, answers_before_it_waits_for_more) {
  ScriptedConsole console;
  console.input = "{\"spec\":\"@daily\"}\n{\"spec\":\"@daily\"}\n";
  console.read_size_max = 18;

  static_cast<void>(carillon_on(console, {"next", "--batch"}));

  EXPECT_GE(console.write_count, 2U);
}

TEST(Batch, answers_a_line_that_is_too_long) {
  ScriptedConsole console;
  console.input = std::string(batch_line_max + 1, ' ') + "\n{\"spec\":\"@daily\",\"count\":0}\n";

  const Told told = carillon_on(console, {"next", "--batch"});

  EXPECT_THAT(told.output, StartsWith("{\"error\":{\"code\":\"line-too-long\""));
  EXPECT_THAT(told.output, ::testing::EndsWith("}}\n{\"next\":[]}\n"));
}

TEST(Batch, stops_quietly_when_nobody_reads) {
  ScriptedConsole console;
  for (int i = 0; i < 1000; ++i) console.input += "{\"spec\":\"@daily\"}\n";
  console.read_size_max = 100;
  console.output_room = 10;

  const Told told = carillon_on(console, {"next", "--batch"});

  EXPECT_EQ(told.exit_code, 0);
  EXPECT_EQ(told.error, "");
  EXPECT_LT(told.output.size(), 1000U);
}

}  // namespace
}  // namespace carillon::cli
