#include "docs_site/site.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

namespace carillon::docs_site {
namespace {

using ::testing::HasSubstr;

SiteSources sources_with(std::vector<SourceFile> pages) {
  return {.pages = std::move(pages),
          .images = {{.path = "docs/images/a.png", .bytes = "PNG"}},
          .description = "info: {}\ntags: []\npaths: {}\n",
          .style = "body{}"};
}

std::string bytes_at(const std::vector<SiteFile>& files, std::string_view path) {
  const auto file = std::ranges::find(files, path, &SiteFile::path);
  return file == files.end() ? "no such file" : file->bytes;
}

TEST(DocsSite, a_link_between_pages_leads_to_the_page) {
  const auto files =
      build_site(sources_with({{.path = "docs/README.md", .bytes = "# Home\n\n[x](how-to/x.md#two)\n"},
                               {.path = "docs/how-to/x.md", .bytes = "# X\n\n## Two\n\n[h](../README.md)"}}))
          .value();

  EXPECT_THAT(bytes_at(files, "docs"), HasSubstr("<a href=\"docs/how-to/x#two\">x</a>"));
  EXPECT_THAT(bytes_at(files, "docs/how-to/x"), HasSubstr("<a href=\"../../docs\">h</a>"));
  EXPECT_THAT(bytes_at(files, "docs/how-to/x"), HasSubstr("<a href=\"#two\">Two</a>"));
}

TEST(DocsSite, images_and_styles_have_names_that_change_with_them) {
  const auto files = build_site(sources_with({{.path = "docs/x.md", .bytes = "# X\n\n![a](images/a.png)"}})).value();
  const auto image = std::ranges::find(files, std::string{"image/png"}, &SiteFile::type);

  ASSERT_NE(image, files.end());
  EXPECT_TRUE(image->path.starts_with("docs/assets/a-"));
  EXPECT_THAT(bytes_at(files, "docs/x"), HasSubstr(image->path.substr(5)));
  EXPECT_THAT(bytes_at(files, "docs/x"), HasSubstr("href=\"assets/style-"));
}

TEST(DocsSite, other_files_of_the_repository_are_named_and_not_linked) {
  const auto files = build_site(sources_with({{.path = "docs/x.md", .bytes = "# X\n\n[m](../src/main.cpp)"}})).value();

  EXPECT_THAT(bytes_at(files, "docs/x"), HasSubstr("title=\"../src/main.cpp in the source tree\">m</span>"));
}

TEST(DocsSite, a_link_that_leads_nowhere_fails_the_build) {
  EXPECT_FALSE(build_site(sources_with({{.path = "docs/x.md", .bytes = "# X\n\n[m](y.md)"}})));
  EXPECT_FALSE(build_site(sources_with({{.path = "docs/x.md", .bytes = "# X\n\n[m](#y)"}})));
}

}  // namespace
}  // namespace carillon::docs_site
