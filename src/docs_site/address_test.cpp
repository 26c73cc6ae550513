#include "docs_site/address.hpp"

#include <gtest/gtest.h>

namespace carillon::docs_site {
namespace {

TEST(DocsAddress, a_file_has_the_address_of_its_path) {
  EXPECT_EQ(address_of("docs/README.md"), "docs");
  EXPECT_EQ(address_of("docs/how-to/x.md"), "docs/how-to/x");
  EXPECT_EQ(address_of("docs/reference/lint/README.md"), "docs/reference/lint");
  EXPECT_EQ(address_of("ROADMAP.md"), "docs/project/roadmap");
}

TEST(DocsAddress, a_way_between_pages_is_relative) {
  EXPECT_EQ(way("docs", "docs/tutorial"), "docs/tutorial");
  EXPECT_EQ(way("docs/tutorial", "docs"), "../docs");
  EXPECT_EQ(way("docs/how-to/x", "docs/how-to/y"), "y");
  EXPECT_EQ(way("docs/how-to/x", "docs/reference/lint"), "../reference/lint");
  EXPECT_EQ(way("docs/reference/lint/a", "docs/reference/lint"), "../lint");
  EXPECT_EQ(way("docs/reference/lint", "docs/reference/lint/a"), "lint/a");
  EXPECT_EQ(way("docs/api", "docs/api"), "api");
}

TEST(DocsAddress, the_way_to_the_server_leads_up) {
  EXPECT_EQ(way("docs", ""), "./");
  EXPECT_EQ(way("docs/how-to/x", ""), "../../");
}

TEST(DocsAddress, a_link_is_read_from_where_it_stands) {
  EXPECT_EQ(linked_path("docs/how-to/x.md", "../tutorial.md#first"), "docs/tutorial.md");
  EXPECT_EQ(linked_path("docs/how-to/x.md", "#first"), "docs/how-to/x.md");
  EXPECT_EQ(linked_path("docs/x.md", "./y.md"), "docs/y.md");
  EXPECT_EQ(linked_path("docs/x.md", "../../etc/passwd"), std::nullopt);
}

}  // namespace
}  // namespace carillon::docs_site
