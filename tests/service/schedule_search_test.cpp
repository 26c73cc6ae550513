#include "service/schedule_search.hpp"

#include "service/service_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace carillon::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ScheduleSearchTest : public ServiceTest {
 protected:
  ScheduleSearchTest() {
    create(R"({"id":"etl-a","name":"Load, A","labels":{"team":"data"},"every":"1h","jobType":"t"})");
    create(R"({"id":"etl-b","name":"Load B","labels":{"team":"web"},"cron":"@daily","command":["true"]})");
    create(R"({"id":"mail","name":"Mail report","every":"10s","jobType":"t"})");
    must(schedules_.pause(admin(), {.id = "mail"}, {}, {}));
  }
  std::vector<std::string> found(std::string_view search) {
    ScheduleListRequest request;
    must(add_search(search, clock_.now(), request.filter));
    std::vector<std::string> ids;
    for (const ScheduleKey& key : must(schedules_.list_names(admin(), request)).items) ids.emplace_back(key.id.text());
    return ids;
  }
  Problem fault(std::string_view search) {
    ScheduleFilter filter;
    const auto added = add_search(search, clock_.now(), filter);
    return added ? Problem{} : added.error().errors.front();
  }
};

TEST_F(ScheduleSearchTest, finds_by_every_qualifier) {
  EXPECT_THAT(found(""), ElementsAre("etl-a", "etl-b", "mail"));
  EXPECT_THAT(found("state:paused"), ElementsAre("mail"));
  EXPECT_THAT(found("state:paused,active kind:job"), ElementsAre("etl-a", "mail"));
  EXPECT_THAT(found("label:team"), ElementsAre("etl-a", "etl-b"));
  EXPECT_THAT(found("label:team=data"), ElementsAre("etl-a"));
  EXPECT_THAT(found("label:team=data,web"), ElementsAre("etl-a", "etl-b"));
  EXPECT_THAT(found("label:team=w*"), ElementsAre("etl-b"));
  EXPECT_THAT(found("kind:command"), ElementsAre("etl-b"));
  EXPECT_THAT(found("name~report"), ElementsAre("mail"));
  EXPECT_THAT(found("id:etl-*"), ElementsAre("etl-a", "etl-b"));
  EXPECT_THAT(found("tz:u*"), ElementsAre("etl-a", "etl-b", "mail"));
  EXPECT_THAT(found("namespace:other"), IsEmpty());
  EXPECT_THAT(found("next:<90m"), ElementsAre("etl-a"));
}

TEST_F(ScheduleSearchTest, joins_terms_and_takes_words_for_a_part_of_a_name) {
  EXPECT_THAT(found("load B"), ElementsAre("etl-b"));
  EXPECT_THAT(found("\"load, a\""), ElementsAre("etl-a"));
  EXPECT_THAT(found("-load"), ElementsAre("mail"));
  EXPECT_THAT(found("-label:team=web state:active"), ElementsAre("etl-a"));
}

TEST_F(ScheduleSearchTest, says_where_it_cannot_be_read_and_what_is_known) {
  const Problem unknown = fault("load stat:paused");
  EXPECT_EQ(unknown.code, "invalid-filter");
  EXPECT_EQ(unknown.position, 5U);
  EXPECT_THAT(unknown.message, HasSubstr("unknown qualifier \"stat\", at character 6"));
  EXPECT_THAT(unknown.hint, HasSubstr("did you mean state?"));
  EXPECT_THAT(unknown.hint, HasSubstr("label, kind, name, id, tz, next"));

  EXPECT_EQ(fault("state:failed").position, 6U);
  EXPECT_THAT(fault("state:failed").hint, HasSubstr("active, paused"));
  EXPECT_THAT(fault("state:failed").hint, HasSubstr("list of runs"));
  EXPECT_EQ(fault("name:\"open").position, 5U);
  EXPECT_THAT(fault("team=data").hint, HasSubstr("label:team=data"));
  EXPECT_EQ(fault("state:").position, 6U);
  EXPECT_EQ(fault("state:paused,").position, 13U);
  EXPECT_THAT(fault("next:soon").hint, HasSubstr("24h"));
  EXPECT_EQ(fault("state~pau").position, 6U);
  EXPECT_EQ(fault(std::string(3'000, 'x')).code, "invalid-filter");
}

TEST_F(ScheduleSearchTest, of_runs_has_qualifiers_of_its_own) {
  RunSearch search;
  must(add_search("state:failed,lost source:trigger queue:mail since:24h schedule:bell", clock_.now(), search));

  EXPECT_THAT(search.filter.states, ElementsAre(RunState::failed, RunState::lost));
  EXPECT_THAT(search.filter.sources, ElementsAre(Source::trigger));
  EXPECT_EQ(search.filter.queue, "mail");
  EXPECT_EQ(search.filter.since, clock_.now() - std::chrono::hours{24});
  EXPECT_EQ(search.schedule, "bell");
  EXPECT_FALSE(add_search("kind:job", clock_.now(), search));
  EXPECT_FALSE(add_search("state:paused", clock_.now(), search));
  EXPECT_FALSE(add_search("-state:failed", clock_.now(), search));
}

}  // namespace
}  // namespace carillon::testing
