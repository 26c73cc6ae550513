#include "executors/secrets/secret_directory.hpp"

#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace carillon {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class SecretDirectoryTest : public testing::Test {
 protected:
  SecretDirectoryTest() {
    fs::create_directory(data_);
    fs::create_directory(path_);
    ::chmod(path_.c_str(), 0700);
  }

  void write(const std::string& name, const std::string& text, mode_t mode = 0600) {
    folder_.write("secrets/" + name, text);
    ::chmod((path_ / name).c_str(), mode);
  }
  [[nodiscard]] SecretDirectory opened() const { return SecretDirectory::open(path_, data_).value(); }
  std::string error_of(std::string_view name) {
    const auto secret = opened().read(name);
    EXPECT_FALSE(secret) << name;
    if (secret) return {};
    EXPECT_FALSE(secret.error().hint.empty()) << secret.error().message;
    return secret.error().message;
  }

  TemporaryFolder folder_;
  fs::path data_ = folder_.path() / "data";
  fs::path path_ = folder_.path() / "secrets";
};

TEST_F(SecretDirectoryTest, reads_a_file_without_the_one_line_end_behind_it) {
  write("plain", "s3cret");
  write("line", "s3cret\n");
  write("lines", "s3cret\r\n\n");
  write("empty", "");

  EXPECT_EQ(opened().read("plain").value(), "s3cret");
  EXPECT_EQ(opened().read("line").value(), "s3cret");
  EXPECT_EQ(opened().read("lines").value(), "s3cret\r\n");
  EXPECT_EQ(opened().read("empty").value(), "");
}

TEST_F(SecretDirectoryTest, reads_below_itself_by_relative_and_by_whole_paths) {
  fs::create_directory(path_ / "db");
  write("db/password", "s3cret");
  fs::create_directory_symlink(path_, folder_.path() / "link");
  const SecretDirectory by_link = SecretDirectory::open(folder_.path() / "link", data_).value();

  EXPECT_EQ(opened().read("db/password").value(), "s3cret");
  EXPECT_EQ(opened().read((path_ / "db/password").string()).value(), "s3cret");
  EXPECT_EQ(by_link.read((folder_.path() / "link/db/password").string()).value(), "s3cret");
}

TEST_F(SecretDirectoryTest, reads_nothing_outside_itself) {
  folder_.write("outside", "canary");
  folder_.write("secrets-too", "canary");

  EXPECT_THAT(error_of((folder_.path() / "outside").string()), HasSubstr("outside the secret directory"));
  EXPECT_THAT(error_of((folder_.path() / "secrets-too").string()), HasSubstr("outside the secret directory"));
  EXPECT_THAT(error_of("/etc/shadow"), HasSubstr("outside the secret directory"));
  EXPECT_THAT(error_of((path_ / "../outside").string()), HasSubstr("outside the secret directory"));
  EXPECT_THAT(error_of("../outside"), HasSubstr("not a path inside"));
  EXPECT_THAT(error_of("a/../../outside"), Not(HasSubstr("canary")));
  EXPECT_FALSE(opened().read(path_.string()));
}

TEST_F(SecretDirectoryTest, follows_no_links) {
  folder_.write("outside", "canary");
  fs::create_directory(path_ / "real");
  write("real/file", "s3cret");
  fs::create_symlink(folder_.path() / "outside", path_ / "link");
  fs::create_symlink("real/file", path_ / "inner-link");
  fs::create_directory_symlink("real", path_ / "folder-link");
  fs::create_directory_symlink("/proc/self/fd", path_ / "magic");

  for (const char* name : {"link", "inner-link", "folder-link/file", "magic/0"})
    EXPECT_THAT(error_of(name), AllOf(HasSubstr("without following a link"), Not(HasSubstr("canary")))) << name;
}

TEST_F(SecretDirectoryTest, reads_regular_files_only_and_waits_for_nobody) {
  ASSERT_EQ(::mkfifo((path_ / "fifo").c_str(), 0600), 0);
  fs::create_directory(path_ / "folder");

  EXPECT_THAT(error_of("fifo"), HasSubstr("is not a regular file"));
  EXPECT_THAT(error_of("folder"), HasSubstr("is not a regular file"));
}

TEST_F(SecretDirectoryTest, refuses_what_others_can_change) {
  write("group", "s3cret", 0620);
  write("others", "s3cret", 0602);
  write("readable", "s3cret", 0644);
  fs::create_directory(path_ / "open");
  write("open/file", "s3cret");
  ::chmod((path_ / "open").c_str(), 0777);

  EXPECT_THAT(error_of("group"), HasSubstr("can be changed by other users (mode 0620)"));
  EXPECT_THAT(error_of("others"), HasSubstr("can be changed by other users (mode 0602)"));
  EXPECT_THAT(error_of("open/file"), HasSubstr("can be changed by other users (mode 0777)"));
  EXPECT_EQ(opened().read("readable").value(), "s3cret");
}

TEST_F(SecretDirectoryTest, refuses_what_belongs_to_somebody_else) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  write("given", "s3cret");
  ASSERT_EQ(::chown((path_ / "given").c_str(), 65534, 65534), 0);

  EXPECT_THAT(error_of("given"), HasSubstr("belongs to user 65534"));

  ASSERT_EQ(::chown(path_.c_str(), 65534, 65534), 0);
  EXPECT_FALSE(SecretDirectory::open(path_, data_));
}

TEST_F(SecretDirectoryTest, refuses_what_is_larger_than_a_secret) {
  write("largest", std::string(secret_size_max, 'x'));
  write("larger", std::string(secret_size_max + 1, 'x'));

  EXPECT_EQ(opened().read("largest")->size(), secret_size_max);
  EXPECT_THAT(error_of("larger"), HasSubstr("65537 bytes"));
}

TEST_F(SecretDirectoryTest, says_that_a_file_is_not_there) {
  const auto secret = opened().read("missing");

  ASSERT_FALSE(secret);
  EXPECT_EQ(secret.error().code, ErrorCode::not_found);
  EXPECT_EQ(secret.error().message, (fs::canonical(path_) / "missing").string() + " does not exist");
}

TEST_F(SecretDirectoryTest, is_never_the_data_folder_nor_around_it_nor_in_it) {
  fs::create_directory(data_ / "inner");
  fs::create_directory_symlink(data_, folder_.path() / "alias");
  ::chmod(folder_.path().c_str(), 0700);

  for (const fs::path& path : {data_, data_ / "inner", folder_.path(), fs::path{"/"}, folder_.path() / "alias"}) {
    const auto directory = SecretDirectory::open(path, data_);
    ASSERT_FALSE(directory) << path;
    EXPECT_THAT(directory.error().message, HasSubstr("is the data folder, contains it or is inside it")) << path;
  }
}

TEST_F(SecretDirectoryTest, must_exist_and_be_changed_by_its_owner_only) {
  EXPECT_FALSE(SecretDirectory::open(folder_.path() / "nowhere", data_));
  folder_.write("file", "");
  EXPECT_FALSE(SecretDirectory::open(folder_.path() / "file", data_));
  ::chmod(path_.c_str(), 0777);
  EXPECT_FALSE(SecretDirectory::open(path_, data_));
}

}  // namespace
}  // namespace carillon
