#include "definitions/slug.hpp"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <string>
#include <utility>

namespace carillon {
namespace {

TEST(Slug, names_become_ids) {
  const std::pair<std::string, std::string> cases[] = {
      {"Nightly ETL", "nightly-etl"},
      {"  Daily   report!  ", "daily-report"},
      {"Release v1.2_final", "release-v1.2_final"},
      {"-- x --", "x"},
      {"Größe", "gr-e"},
      {"日報", "schedule"},
      {"!!!", "schedule"},
      {"", "schedule"},
      {"a...b", "a.b"},
      {std::string(300, 'x'), std::string(128, 'x')},
  };
  for (const auto& [name, id] : cases) EXPECT_EQ(slug(name).text(), id) << name;
}

TEST(Slug, a_second_one_is_numbered) { EXPECT_EQ(numbered(slug("Nightly ETL"), 2).text(), "nightly-etl-2"); }

TEST(Slug, a_long_one_gives_way_to_its_number) {
  const ScheduleId id = numbered(slug(std::string(126, 'x') + "-y"), 10);

  EXPECT_EQ(id.text(), std::string(125, 'x') + "-10");
}

RC_GTEST_PROP(Slug, any_name_gives_an_id, (const std::string& name)) {
  RC_ASSERT(is_id_text(slug(name).text()));
  RC_ASSERT(is_id_text(numbered(slug(name), 2).text()));
}

}  // namespace
}  // namespace carillon
