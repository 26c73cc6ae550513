#include "zones/zone_directory.hpp"

#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace carillon {
namespace {

namespace fs = std::filesystem;

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

constexpr const char* small_tzdata =
    "# version 2026f\n"
    "# a remark\n"
    "R d 1916 o - Jun 14 23s 1 S\n"
    "Z Europe/Berlin 0:53:28 - LMT 1893 Ap\n"
    "1 c CE%sT 1945 May 24 2\n"
    "Z EST -5 - EST\n"
    "L Europe/Berlin Europe/Stockholm\n"
    "L Europe/Berlin Arctic/Old\n";

constexpr const char* small_table =
    "# countries\n"
    "DE\t+5230+01322\tEurope/Berlin\tmost of Germany\n"
    "SE\t+5920+01803\tEurope/Stockholm\n"
    "XX\t+0000+00000\tNowhere/Land\n";

TEST(ZoneListing, takes_version_names_and_links_from_the_list) {
  const TemporaryFolder folder;
  folder.write("tzdata.zi", small_tzdata);

  const ZoneListing edition = read_zone_listing(folder.path());

  EXPECT_FALSE(edition.problem);
  EXPECT_EQ(edition.names->version, "2026f");
  EXPECT_THAT(edition.names->names, ElementsAre("Arctic/Old", "EST", "Europe/Berlin", "Europe/Stockholm"));
  EXPECT_THAT(edition.names->links,
              ElementsAre(Pair("Arctic/Old", "Europe/Berlin"), Pair("Europe/Stockholm", "Europe/Berlin")));
  EXPECT_THAT(edition.names->current, IsEmpty());
}

TEST(ZoneListing, takes_the_names_of_today_from_the_table_of_countries) {
  const TemporaryFolder folder;
  folder.write("tzdata.zi", small_tzdata);
  folder.write("zone.tab", small_table);

  const ZoneListing edition = read_zone_listing(folder.path());

  EXPECT_THAT(edition.names->current, ElementsAre("Europe/Berlin", "Europe/Stockholm"));
  EXPECT_EQ(edition.names->renamed_to("Arctic/Old"), "Europe/Berlin");
  EXPECT_EQ(edition.names->renamed_to("Europe/Stockholm"), "");
}

TEST(ZoneListing, leaves_out_names_that_lead_out_of_the_folder) {
  const TemporaryFolder folder;
  folder.write("tzdata.zi",
               "Z ../../etc/secret 0 - X\nZ /etc/localtime 0 - X\nL Europe/Berlin a/../b\nZ Asia/Tokyo 9 - JST\n");

  const ZoneListing edition = read_zone_listing(folder.path());

  EXPECT_THAT(edition.names->names, ElementsAre("Asia/Tokyo"));
  EXPECT_THAT(edition.names->links, IsEmpty());
  EXPECT_EQ(edition.names->version, "unknown");
}

TEST(ZoneListing, finds_the_zone_files_where_there_is_no_list) {
  const TemporaryFolder folder;
  for (const char* name : {"Europe/Berlin", "America/Argentina/Ushuaia", "UTC", "posix/Europe/Berlin",
                           "right/Europe/Berlin", "localtime", "posixrules"}) {
    folder.write(name, "TZif2 and so on");
  }
  folder.write("leapseconds", "not a zone");
  folder.write("Europe/empty", "");
  folder.write("zone.tab", small_table);
  fs::create_symlink("Berlin", folder.path() / "Europe/Stockholm");
  fs::create_symlink("nowhere", folder.path() / "Europe/Dangling");
  fs::create_symlink(".", folder.path() / "Europe/Circle");

  const ZoneListing edition = read_zone_listing(folder.path());

  EXPECT_FALSE(edition.problem);
  EXPECT_EQ(edition.names->version, "unknown");
  EXPECT_THAT(edition.names->names,
              ElementsAre("America/Argentina/Ushuaia", "Europe/Berlin", "Europe/Stockholm", "UTC"));
  EXPECT_THAT(edition.names->links, ElementsAre(Pair("Europe/Stockholm", "Europe/Berlin")));
  EXPECT_THAT(edition.names->current, ElementsAre("Europe/Berlin", "Europe/Stockholm"));
}

TEST(ZoneListing, finds_the_zone_files_where_the_list_is_damaged) {
  const TemporaryFolder folder;
  folder.write("tzdata.zi", std::string(100'000, '\0'));
  folder.write("Europe/Berlin", "TZif2 and so on");

  const ZoneListing edition = read_zone_listing(folder.path());

  EXPECT_THAT(edition.names->names, ElementsAre("Europe/Berlin"));
}

TEST(ZoneListing, without_zones_says_where_they_were_looked_for) {
  const TemporaryFolder folder;
  folder.write("a_file", "text");
  const std::pair<fs::path, const char*> cases[] = {{folder.path(), "no zone files"},
                                                    {folder.path() / "missing", "No such file"},
                                                    {folder.path() / "a_file", "not a folder"}};
  for (const auto& [path, reason] : cases) {
    const ZoneListing edition = read_zone_listing(path);

    ASSERT_TRUE(edition.problem) << path;
    EXPECT_EQ(edition.problem->code, ErrorCode::unavailable);
    EXPECT_THAT(edition.problem->message, HasSubstr("no time zone data in " + path.native() + ": " + reason));
    EXPECT_THAT(edition.problem->hint, HasSubstr("TZDIR"));
    EXPECT_THAT(edition.names->names, IsEmpty());
  }
}

TEST(WatchedFile, notices_replacement_removal_and_return) {
  const TemporaryFolder folder;
  folder.write("file", "one");
  const WatchedFile file = WatchedFile::now(folder.path() / "file");
  const WatchedFile missing = WatchedFile::now(folder.path() / "missing");
  EXPECT_FALSE(file.has_changed());
  EXPECT_FALSE(missing.has_changed());

  folder.write("file", "two");
  folder.write("missing", "");

  EXPECT_TRUE(file.has_changed());
  EXPECT_TRUE(missing.has_changed());
}

}  // namespace
}  // namespace carillon
