#include "service/revisions.hpp"

#include "service/service_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace carillon::testing {
namespace {

class RevisionsTest : public ServiceTest {
 protected:
  RevisionsTest() {
    create(R"({"id":"bell","every":"1h","jobType":"ring"})");
    must(schedules_.patch(admin(), {.id = "bell"}, json(R"({"every":"2h"})"), {}));
    must(schedules_.pause(admin(), {.id = "bell"}, {.reason = "holidays"}, {}));
  }
  Revisions revisions_{parts_, schedules_};
};

TEST_F(RevisionsTest, are_all_changes_with_who_and_what) {
  const RevisionPage page = must(revisions_.list(admin(), {.id = "bell"}, {}));

  ASSERT_EQ(page.items.size(), 3U);
  EXPECT_EQ(page.current, 3);
  EXPECT_EQ(page.items[0].kind, ChangeKind::paused);
  EXPECT_EQ(page.items[0].reason, "holidays");
  EXPECT_EQ(page.items[1].kind, ChangeKind::updated);
  EXPECT_EQ(page.items[2].by, "token:adminadm");
  EXPECT_FALSE(page.next);
}

TEST_F(RevisionsTest, come_in_pages) {
  const RevisionPage first = must(revisions_.list(admin(), {.id = "bell"}, {.count_max = 2}));
  const RevisionPage second = must(revisions_.list(admin(), {.id = "bell"}, {.before = first.next, .count_max = 2}));

  EXPECT_EQ(first.next, 2);
  ASSERT_EQ(second.items.size(), 1U);
  EXPECT_EQ(second.items[0].revision, 1);
  EXPECT_FALSE(second.next);
}

TEST_F(RevisionsTest, have_the_definition_that_was_in_force_after_them) {
  EXPECT_THAT(must(revisions_.get(admin(), {.id = "bell"}, 1)).document, ::testing::HasSubstr(R"("every":"1h")"));
  EXPECT_THAT(must(revisions_.get(admin(), {.id = "bell"}, 2)).document, ::testing::HasSubstr(R"("every":"2h")"));
  EXPECT_THAT(must(revisions_.get(admin(), {.id = "bell"}, 3)).document, ::testing::HasSubstr(R"("every":"2h")"));
  EXPECT_EQ(revisions_.get(admin(), {.id = "bell"}, 4).error().kind, Refusal::Kind::not_found);
  EXPECT_EQ(revisions_.get(admin(), {.id = "bell"}, 0).error().kind, Refusal::Kind::not_found);
}

TEST_F(RevisionsTest, can_be_restored_by_putting_their_definition) {
  const RevisionAnswer first = must(revisions_.get(admin(), {.id = "bell"}, 1));

  must(schedules_.put(admin(), {.id = "bell"}, json(first.document), {}));

  EXPECT_EQ(must(revisions_.get(admin(), {.id = "bell"}, 4)).document, first.document);
}

TEST_F(RevisionsTest, are_unknown_to_who_does_not_know_the_schedule) {
  EXPECT_EQ(revisions_.list(bound_to("blue"), {.id = "bell"}, {}).error().kind, Refusal::Kind::not_found);
}

}  // namespace
}  // namespace carillon::testing
