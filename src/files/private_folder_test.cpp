#include "files/private_folder.hpp"

#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

namespace carillon {
namespace {

using ::testing::HasSubstr;

constexpr uid_t another_user = 65'534;

void give_away(const std::filesystem::path& path) { ASSERT_EQ(::chown(path.c_str(), another_user, another_user), 0); }

TEST(PrivateFolder, is_made_for_its_owner_with_those_above_it) {
  const TemporaryFolder folder;

  const auto made = make_private_folder(folder.path() / "deep" / "data" / "");

  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->filename(), "data");
  struct stat facts{};
  ASSERT_EQ(::stat(made->c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 07777U, 0700U);
  EXPECT_TRUE(make_private_folder(*made)) << "and is there already";
}

TEST(PrivateFolder, reached_through_a_link_is_named_without_it) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "data");
  ASSERT_EQ(::chmod((folder.path() / "data").c_str(), 0755), 0);
  std::filesystem::create_directory_symlink(folder.path() / "data", folder.path() / "link");

  EXPECT_EQ(make_private_folder(folder.path() / "link").value(), std::filesystem::canonical(folder.path()) / "data");
}

TEST(PrivateFolder, that_is_not_there_is_not_found) {
  const TemporaryFolder folder;

  EXPECT_EQ(check_private_folder(folder.path() / "none").error().code, ErrorCode::not_found);
}

TEST(PrivateFolder, of_another_user_is_refused_unless_that_one_is_trusted) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give folders away";
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "data");
  give_away(folder.path() / "data");

  const auto made = make_private_folder(folder.path() / "data");

  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().rule, "untrusted-file");
  EXPECT_THAT(made.error().message, HasSubstr("(uid 65534), not to root (uid 0)"));
  EXPECT_TRUE(check_private_folder(folder.path() / "data", another_user));
}

TEST(PrivateFolder, below_a_folder_of_another_user_is_refused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give folders away";
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() / "theirs" / "data");
  give_away(folder.path() / "theirs");

  const auto made = make_private_folder(folder.path() / "theirs" / "data");

  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().message, HasSubstr("who could replace it"));
}

TEST(PrivateFolder, below_a_folder_that_everybody_may_write_to_needs_the_sticky_bit) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() / "open" / "data");
  ASSERT_EQ(::chmod((folder.path() / "open").c_str(), 0777), 0);
  ASSERT_EQ(::chmod((folder.path() / "open" / "data").c_str(), 0700), 0);

  EXPECT_THAT(check_private_folder(folder.path() / "open" / "data").error().message,
              HasSubstr("everyone can write to"));
  ASSERT_EQ(::chmod((folder.path() / "open").c_str(), 01777), 0);
  EXPECT_TRUE(check_private_folder(folder.path() / "open" / "data"));
}

TEST(PrivateFolder, that_others_may_write_to_is_refused) {
  const TemporaryFolder folder;
  ASSERT_EQ(::chmod(folder.path().c_str(), 0770), 0);

  EXPECT_THAT(check_private_folder(folder.path()).error().message, HasSubstr("other users can write"));
}

TEST(PrivateFolder, that_is_a_file_is_refused) {
  const TemporaryFolder folder;
  std::ofstream{folder.path() / "data"} << "text";

  EXPECT_THAT(make_private_folder(folder.path() / "data").error().message, HasSubstr("is not a folder"));
}

}  // namespace
}  // namespace carillon
