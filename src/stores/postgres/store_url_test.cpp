#include "stores/postgres/store_url.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace carillon::postgres {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(StoreUrl, names_host_database_and_user_but_never_the_password) {
  const StoreUrl url = parse_store_url("postgres://ann:hunter2@db.example:5433/jobs?sslmode=require").value();

  EXPECT_EQ(url.description, "PostgreSQL db.example:5433, database jobs, user ann");
  EXPECT_TRUE(url.has_password);
  EXPECT_EQ(url.schema, "carillon");
}

TEST(StoreUrl, may_name_a_schema_anywhere_among_its_options) {
  for (const char* text : {"postgres://db/jobs?schema=mine", "postgres://db/jobs?schema=mine&sslmode=require",
                           "postgresql://db/jobs?sslmode=require&schema=mine"}) {
    const StoreUrl url = parse_store_url(text).value();
    EXPECT_EQ(url.schema, "mine") << text;
    EXPECT_EQ(url.has_password, false);
  }
}

TEST(StoreUrl, is_refused_with_a_hint_that_repeats_no_password) {
  for (const char* text : {"mysql://db/jobs", "postgres://ann:hunter2@db:port/jobs?nonsense=1",
                           "postgres://ann:hunter2@db/jobs?schema=Robert'); DROP", "postgres://ann:hunter2@db/%zz",
                           "postgres://ann:hunter2%er@db/jobs"}) {
    const auto refused = parse_store_url(text);
    ASSERT_FALSE(refused) << text;
    EXPECT_EQ(refused.error().code, ErrorCode::invalid_argument);
    EXPECT_THAT(refused.error().message, Not(HasSubstr("hunter2")));
    EXPECT_THAT(refused.error().hint, HasSubstr("postgres://USER@HOST"));
  }
}

}  // namespace
}  // namespace carillon::postgres
