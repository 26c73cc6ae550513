#include "data_folder/data_directory.hpp"

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
  EXPECT_THAT(directory.error().message, HasSubstr("other users can write"));
  EXPECT_THAT(directory.error().hint, HasSubstr("chmod go-w"));
}

TEST(DataDirectory, of_another_user_is_refused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give folders away";
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "data");
  ASSERT_EQ(::chown((folder.path() / "data").c_str(), 65'534, 65'534), 0);

  const auto directory = DataDirectory::take(folder.path() / "data");

  ASSERT_FALSE(directory);
  EXPECT_THAT(directory.error().message, HasSubstr("belongs to"));
}

TEST(DataDirectory, whose_lock_has_another_name_is_refused_and_the_file_stays_as_it_is) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "data");
  ASSERT_EQ(::chmod((folder.path() / "data").c_str(), 0700), 0);
  std::ofstream{folder.path() / "precious"} << "text";
  std::filesystem::create_hard_link(folder.path() / "precious", folder.path() / "data" / "lock");

  EXPECT_EQ(DataDirectory::take(folder.path() / "data").error().rule, "untrusted-file");

  EXPECT_EQ(std::filesystem::file_size(folder.path() / "precious"), 4U);
}

TEST(DataDirectory, with_a_fifo_in_place_of_a_file_is_refused_at_once) {
  for (const char* name : {"lock", "carillon.db", "run-id.key", "audit.key", "admin.token"}) {
    const TemporaryFolder folder;
    std::filesystem::create_directory(folder.path() / "data");
    ASSERT_EQ(::chmod((folder.path() / "data").c_str(), 0700), 0);
    ASSERT_EQ(::mkfifo((folder.path() / "data" / name).c_str(), 0600), 0);

    const auto directory = DataDirectory::take(folder.path() / "data");

    ASSERT_FALSE(directory) << name;
    EXPECT_EQ(directory.error().rule, "untrusted-file") << name;
    EXPECT_THAT(directory.error().message, HasSubstr("is a FIFO")) << name;
  }
}

TEST(DataDirectory, has_a_database_that_nobody_else_can_read) {
  const TemporaryFolder folder;
  const auto directory = DataDirectory::take(folder.path() / "data");
  ASSERT_TRUE(directory);
  const auto mode = [&](const std::string& ending) {
    struct stat facts{};
    return ::stat((directory->database().string() + ending).c_str(), &facts) == 0 ? facts.st_mode & 0777 : 0;
  };

  ASSERT_TRUE(directory->protect_database());
  EXPECT_EQ(mode(""), 0600U);

  for (const std::string ending : {"", "-wal", "-shm"}) {
    std::ofstream{directory->database().string() + ending} << "rows";
    ASSERT_EQ(::chmod((directory->database().string() + ending).c_str(), 0644), 0);
  }
  ASSERT_TRUE(directory->protect_database()) << "one of an earlier version";
  EXPECT_EQ(mode(""), 0600U);
  EXPECT_EQ(mode("-wal"), 0600U);
  EXPECT_EQ(mode("-shm"), 0600U);
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
