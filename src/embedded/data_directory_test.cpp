#include "embedded/data_directory.hpp"

#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

namespace carillon {
namespace {

using ::testing::HasSubstr;

TEST(DataDirectory, is_made_for_its_user_alone) {
  const TemporaryFolder folder;

  const auto directory = DataDirectory::take(folder.path() / "deep" / "data");

  ASSERT_TRUE(directory) << directory.error().message;
  struct stat facts{};
  ASSERT_EQ(::stat(directory->path().c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0700U);
}

TEST(DataDirectory, has_one_server_at_a_time_and_says_who_it_is) {
  const TemporaryFolder folder;
  const auto first = DataDirectory::take(folder.path() / "data");
  ASSERT_TRUE(first);

  const auto second = DataDirectory::take(folder.path() / "data");

  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::conflict);
  EXPECT_THAT(second.error().message, HasSubstr(fmt::format("in use by pid {} on host", ::getpid())));
}

TEST(DataDirectory, is_free_again_when_its_server_is_gone) {
  const TemporaryFolder folder;
  {
    const auto first = DataDirectory::take(folder.path() / "data");
    ASSERT_TRUE(first);
  }

  EXPECT_TRUE(DataDirectory::take(folder.path() / "data"));
}

TEST(DataDirectory, that_has_lost_its_database_is_not_taken_for_a_new_one) {
  const TemporaryFolder folder;
  const auto directory = DataDirectory::take(folder.path() / "data");
  ASSERT_TRUE(directory);
  EXPECT_TRUE(directory->expect_database());
  std::ofstream{directory->run_id_key()} << "a key";

  EXPECT_EQ(directory->expect_database().error().code, ErrorCode::corrupt);
  std::ofstream{directory->database()};
  EXPECT_EQ(directory->expect_database().error().code, ErrorCode::corrupt) << "nor is an emptied one";
  std::ofstream{directory->database()} << "rows";
  EXPECT_TRUE(directory->expect_database());
}

TEST(DataDirectory, that_others_may_write_to_is_refused) {
  const TemporaryFolder folder;
  ASSERT_EQ(::chmod(folder.path().c_str(), 0777), 0);

  const auto directory = DataDirectory::take(folder.path());

  ASSERT_FALSE(directory);
  EXPECT_THAT(directory.error().message, HasSubstr("chmod go-w"));
}

TEST(DataDirectory, that_is_a_file_is_refused) {
  const TemporaryFolder folder;
  std::ofstream{folder.path() / "data"} << "text";

  const auto directory = DataDirectory::take(folder.path() / "data");

  ASSERT_FALSE(directory);
  EXPECT_THAT(directory.error().message, HasSubstr("is not a folder"));
}

}  // namespace
}  // namespace carillon
