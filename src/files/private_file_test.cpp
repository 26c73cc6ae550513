#include "files/private_file.hpp"

#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <fstream>

namespace carillon {
namespace {

using ::testing::HasSubstr;
using ::testing::Optional;

constexpr uid_t somebody_else = 65'534;

class PrivateFileTest : public testing::Test {
 protected:
  [[nodiscard]] mode_t mode() const {
    struct stat facts{};
    return ::stat(file_.c_str(), &facts) == 0 ? facts.st_mode & 07777U : 0;
  }
  [[nodiscard]] static std::string text_of(const std::filesystem::path& file) {
    std::ifstream stream{file};
    return {std::istreambuf_iterator<char>{stream}, {}};
  }
  void expect_refused(std::string_view reason) const {
    const std::array<Result<FileDescriptor>, 2> outcomes{open_private_file(file_), open_or_create_private_file(file_)};
    for (const auto& outcome : outcomes) {
      ASSERT_FALSE(outcome);
      EXPECT_EQ(outcome.error().rule, "untrusted-file");
      EXPECT_THAT(outcome.error().message, HasSubstr(reason));
    }
    EXPECT_EQ(read_private_file(file_).error().rule, "untrusted-file");
  }

  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_.path() / "token";
};

TEST_F(PrivateFileTest, is_written_for_its_owner_alone_and_read_again) {
  ASSERT_TRUE(write_private_file(file_, "first"));
  ASSERT_TRUE(write_private_file(file_, "second"));

  EXPECT_EQ(mode(), 0600U);
  EXPECT_THAT(read_private_file(file_).value(), Optional(std::string{"second"}));
}

TEST_F(PrivateFileTest, that_is_not_there_is_no_error_to_a_reader) {
  EXPECT_EQ(read_private_file(file_).value(), std::nullopt);
  EXPECT_EQ(open_private_file(file_).error().code, ErrorCode::not_found);
}

TEST_F(PrivateFileTest, is_not_written_through_what_stands_under_the_name_of_its_draft) {
  const auto theirs = folder_.path() / "theirs";
  std::ofstream{theirs} << "";
  std::filesystem::create_hard_link(theirs, folder_.path() / "token.new");
  const FileDescriptor reader{::open(theirs.c_str(), O_RDONLY | O_CLOEXEC)};

  ASSERT_TRUE(write_private_file(file_, "secret"));

  EXPECT_EQ(text_of(theirs), "");
  EXPECT_EQ(text_of(file_), "secret");
  char byte = 0;
  EXPECT_EQ(::read(reader.get(), &byte, 1), 0);
}

TEST_F(PrivateFileTest, is_not_written_through_a_link) {
  std::filesystem::create_symlink(folder_.path() / "theirs", folder_.path() / "token.new");
  std::filesystem::create_symlink(folder_.path() / "theirs", file_);

  ASSERT_TRUE(write_private_file(file_, "secret"));

  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "theirs"));
  EXPECT_TRUE(std::filesystem::is_regular_file(std::filesystem::symlink_status(file_)));
}

TEST_F(PrivateFileTest, that_is_a_link_is_refused) {
  std::ofstream{folder_.path() / "target"} << "text";
  std::filesystem::create_symlink(folder_.path() / "target", file_);

  expect_refused("is a symbolic link");
}

TEST_F(PrivateFileTest, with_a_second_name_is_refused_and_keeps_its_text) {
  std::ofstream{folder_.path() / "target"} << "text";
  std::filesystem::create_hard_link(folder_.path() / "target", file_);

  expect_refused("hard link");
  EXPECT_EQ(text_of(file_), "text");
}

TEST_F(PrivateFileTest, that_is_a_fifo_is_refused_at_once) {
  ASSERT_EQ(::mkfifo(file_.c_str(), 0600), 0);

  expect_refused("is a FIFO, not a regular file");
  EXPECT_EQ(open_regular_file(file_).error().rule, "untrusted-file");
}

TEST_F(PrivateFileTest, that_is_a_folder_is_refused) {
  std::filesystem::create_directory(file_);

  EXPECT_FALSE(read_private_file(file_));
}

TEST_F(PrivateFileTest, that_others_may_write_to_is_refused_with_the_remedy) {
  std::ofstream{file_} << "text";
  ASSERT_EQ(::chmod(file_.c_str(), 0620), 0);

  expect_refused("other users can write to the file");
  EXPECT_THAT(open_private_file(file_).error().hint, HasSubstr("chmod go-w"));
}

TEST_F(PrivateFileTest, of_another_user_is_refused_unless_that_one_is_trusted) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  std::ofstream{file_} << "text";
  ASSERT_EQ(::chown(file_.c_str(), somebody_else, somebody_else), 0);

  expect_refused("belongs to");
  EXPECT_TRUE(read_private_file(file_, {.other_owner = somebody_else}));
}

TEST_F(PrivateFileTest, that_is_too_large_is_an_error) {
  ASSERT_TRUE(write_private_file(file_, "12345"));

  EXPECT_TRUE(read_private_file(file_, {.size_max = 5}));
  EXPECT_EQ(read_private_file(file_, {.size_max = 4}).error().rule, "too-large");
}

TEST_F(PrivateFileTest, is_created_once) {
  EXPECT_TRUE(create_private_file(file_));
  EXPECT_EQ(mode(), 0600U);

  EXPECT_EQ(create_private_file(file_).error().code, ErrorCode::conflict);
}

TEST_F(PrivateFileTest, is_opened_or_created_as_it_is) {
  ASSERT_TRUE(open_or_create_private_file(file_));
  EXPECT_EQ(mode(), 0600U);
  std::ofstream{file_} << "kept";

  ASSERT_TRUE(open_or_create_private_file(file_));

  EXPECT_EQ(text_of(file_), "kept");
}

TEST_F(PrivateFileTest, that_cannot_be_written_leaves_no_draft) {
  std::filesystem::create_directory(file_);

  EXPECT_FALSE(write_private_file(file_, "text"));

  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "token.new"));
}

TEST_F(PrivateFileTest, for_everybody_is_replaced_with_its_mode_and_not_through_links) {
  std::ofstream{folder_.path() / "theirs"} << "theirs";
  std::filesystem::create_symlink(folder_.path() / "theirs", file_);

  ASSERT_TRUE(replace_file(file_, "first"));
  ASSERT_EQ(::chmod(file_.c_str(), 0640), 0);
  ASSERT_TRUE(replace_file(file_, "second"));

  EXPECT_EQ(text_of(folder_.path() / "theirs"), "theirs");
  EXPECT_EQ(text_of(file_), "second");
  EXPECT_EQ(mode(), 0640U);
}

TEST_F(PrivateFileTest, for_everybody_is_made_only_where_nothing_is) {
  std::filesystem::create_symlink(folder_.path() / "elsewhere", file_);

  EXPECT_EQ(write_new_file(file_, "text").error().code, ErrorCode::conflict);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "elsewhere"));
  EXPECT_TRUE(write_new_file(folder_.path() / "new", "text"));
  EXPECT_EQ(text_of(folder_.path() / "new"), "text");
}

TEST_F(PrivateFileTest, named_by_the_user_may_be_a_link) {
  std::ofstream{folder_.path() / "target"} << "text";
  std::filesystem::create_symlink(folder_.path() / "target", file_);

  EXPECT_TRUE(open_regular_file(file_));
}

}  // namespace
}  // namespace carillon
