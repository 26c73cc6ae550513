#include "client/document_reader.hpp"

#include "client/types/run_types.hpp"
#include "client/types/schedule_types.hpp"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

namespace carillon::client {
namespace {

constexpr std::string_view small_run = R"({"id": "r-1", "name": "a@b", "state": "failed", "attempt": 2,
    "nominal": "2026-10-29T13:00:00Z", "error": null, "later": {"a": 1},
    "attempts": [{"attempt": 1, "state": "lost"}, {"attempt": 2, "state": "failed", "exitCode": 3}]})";

Result<Run> run_in(std::string_view text) { return read_document<Run>(boost::json::parse(text)); }

TEST(DocumentReader, fills_members_and_passes_over_those_it_does_not_know) {
  const auto run = run_in(small_run);

  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->id, "r-1");
  EXPECT_EQ(run->nominal, parse_instant("2026-10-29T13:00:00Z").value());
  ASSERT_EQ(run->attempts.size(), 2u);
  EXPECT_EQ(run->attempts[1].exit_code, 3);
  EXPECT_EQ(run->attempts[0].exit_code, std::nullopt);
}

TEST(DocumentReader, keeps_defaults_where_a_member_is_null_or_left_out) {
  const auto run = run_in(small_run);

  ASSERT_TRUE(run);
  EXPECT_EQ(run->error, "");
  EXPECT_EQ(run->waiting_for.has_value(), false);
}

TEST(DocumentReader, names_the_member_that_is_missing) {
  const auto run = run_in(R"({"id": "r-1", "name": "a@b", "state": "failed", "attempts": [{"attempt": 1}]})");

  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().message, "the answer of the server has no /attempts/0/state");
  EXPECT_EQ(run.error().rule, "unexpected-answer");
}

TEST(DocumentReader, names_the_member_that_has_another_type) {
  EXPECT_EQ(run_in(R"({"id": 7, "name": "a@b", "state": "failed"})").error().message,
            "in the answer of the server /id is a number instead of a text");
  EXPECT_EQ(run_in(R"({"id": "r-1", "name": "a@b", "state": "failed", "due": "noon"})").error().message,
            "in the answer of the server /due is a text instead of a time");
  EXPECT_EQ(run_in(R"({"id": "r-1", "name": "a@b", "state": "failed", "attempt": 1.5})").error().message,
            "in the answer of the server /attempt is a number instead of a whole number");
  EXPECT_EQ(run_in(R"({"id": null, "name": "a@b", "state": "failed"})").error().message,
            "in the answer of the server /id is null instead of a value");
  EXPECT_EQ(run_in("[]").error().message, "in the answer of the server all of it is a list instead of an object");
}

TEST(DocumentReader, a_spec_keeps_its_whole_document) {
  const auto document = boost::json::parse(R"({"cron": ["0 9 * * *"], "timezone": "UTC", "dst": "cron"})");

  const auto spec = read_document<Spec>(document);

  ASSERT_TRUE(spec);
  EXPECT_EQ(spec->cron, std::vector<std::string>{"0 9 * * *"});
  EXPECT_EQ(spec->document, document);
}

}  // namespace
}  // namespace carillon::client
