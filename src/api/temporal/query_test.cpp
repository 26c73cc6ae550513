#include "api/temporal/query.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <string>
#include <vector>

namespace carillon::temporal {
namespace {

Settings query_settings() {
  Settings settings;
  settings.search_attributes = {{"Team", enums_pb::INDEXED_VALUE_TYPE_KEYWORD},
                                {"Level", enums_pb::INDEXED_VALUE_TYPE_INT},
                                {"Since", enums_pb::INDEXED_VALUE_TYPE_DATETIME},
                                {"Tags", enums_pb::INDEXED_VALUE_TYPE_KEYWORD_LIST}};
  return settings;
}

/// Five schedules s0 to s4: levels 0 to 4, teams t0 and t1 in turn, s1 and s3 paused; s5 has nothing.
std::string matching(const std::string& text) {
  const auto query = Query::parse(text, query_settings());
  if (!query) return query.error().message;
  std::string found;
  for (int i = 0; i < 6; ++i) {
    QueryRow row{{"ScheduleId", boost::json::value("s" + std::to_string(i))},
                 {"TemporalSchedulePaused", boost::json::value(i == 1 || i == 3)}};
    if (i < 5) {
      row.emplace("Level", i);
      row.emplace("Team", "t" + std::to_string(i % 2));
      row.emplace("Since", "2026-0" + std::to_string(i + 1) + "-01T00:00:00Z");
      row.emplace("Tags", boost::json::array{"all", "tag" + std::to_string(i)});
    }
    if (query->matches(row)) found += std::to_string(i);
  }
  return found;
}

struct QueryCase {
  const char* text;
  const char* expected;  // which of them, or the error
};

TEST(TemporalQuery, finds_what_temporal_would) {
  const std::vector<QueryCase> cases{
      {"", "012345"},
      {"  ", "012345"},
      {"Team = 't0'", "024"},
      {"Team = \"t0\"", "024"},
      {"Team='t0' and `Level`=2", "2"},
      {"Team != 't0' AND `Level` >= 0", "13"},
      {"Team <> 't0'", "13"},
      {"`Level` > 2 AND Team IN ('t0','t1')", "34"},
      {"Level BETWEEN 1 AND 3 AND Team STARTS_WITH 't'", "123"},
      {"Level NOT BETWEEN 1 AND 3", "04"},
      {"Team NOT STARTS_WITH 't' AND Level IS NOT NULL", ""},
      {"Level IS NULL", "5"},
      {"Level IS NOT NULL AND ScheduleId STARTS_WITH 's'", "01234"},
      {"(Level = 1 OR Level = 2) AND Team STARTS_WITH 't'", "12"},
      {"NOT Level = 1", "0234"},
      {"Level = 1.5", ""},
      {"Level in (1, 2)", "12"},
      {"Level > -1", "01234"},
      {"ScheduleId = 's3'", "3"},
      {"ScheduleId != 's1'", "02345"},
      {"ScheduleId NOT IN ('s1','s2')", "0345"},
      {"ScheduleId > 's2'", "345"},
      {"TemporalSchedulePaused = true", "13"},
      {"TemporalSchedulePaused != true", "0245"},
      {"TemporalSchedulePaused = false AND Team = 't0'", "024"},
      {"Team = 'it''s'", ""},
      {"Team = 'a\\'b'", ""},
      {"Since > '2026-03-01T01:00:00+02:00'", "234"},
      {"Tags = 'tag3'", "3"},
      {"Level = 1 OR Level = 2 AND Team = 't1'", "1"},
  };

  for (const QueryCase& one : cases) EXPECT_EQ(matching(one.text), one.expected) << one.text;
}

TEST(TemporalQuery, refuses_in_temporals_words) {
  const std::vector<QueryCase> cases{
      {"Bogus = 1", "invalid query: invalid search attribute: Bogus"},
      {"team = 't0'", "invalid query: invalid search attribute: team"},
      {"WorkflowType = 'Quick'", "invalid query filter for schedules: cannot filter on \"WorkflowType\""},
      {"StartTime > '2020-01-01T00:00:00Z'", "invalid query filter for schedules: cannot filter on \"StartTime\""},
      {"Level = 'x'",
       "invalid query: invalid expression: invalid value type for search attribute Level of type Int: \"x\" (type: "
       "string)"},
      {"TemporalSchedulePaused = 'true'",
       "invalid query: invalid expression: invalid value type for search attribute TemporalSchedulePaused of type "
       "Bool: "
       "\"true\" (type: string)"},
      {"Team LIKE 'x%'",
       "invalid query: operation is not supported: operator 'LIKE' not supported for Keyword type search attribute "
       "'Team'"},
      {"Team = 't0' LIMIT 1", "invalid query: operation is not supported: 'LIMIT' clause"},
      {"Team =", "invalid query: malformed SQL query: syntax error at position 7"},
      {"Team = 't0' ORDER BY Level", "invalid query: malformed SQL query: syntax error at position 13 near 'ORDER'"},
      {"select * from x", "invalid query: malformed SQL query: syntax error at position 8 near '*'"},
      {"Team = 'x'; drop", "invalid query: malformed SQL query: syntax error at position 11 near ';'"},
      {"Team = 'x", "invalid query: malformed SQL query: syntax error at position 8 near 'x'"},
      {"(Level = 1", "invalid query: malformed SQL query: syntax error at position 11"},
  };

  for (const QueryCase& one : cases) EXPECT_EQ(matching(one.text), one.expected) << one.text;
}

TEST(TemporalQuery, has_bounds) {
  EXPECT_EQ(matching(fmt::format("{}Level = 1{}", std::string(1'000, '('), std::string(1'000, ')'))),
            "invalid query: too deeply nested");
  EXPECT_EQ(matching(std::string(20'000, ' ')), "invalid query: it has 20000 bytes, more than 10000");
}

}  // namespace
}  // namespace carillon::temporal
