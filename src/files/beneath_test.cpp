#include "files/beneath.hpp"

#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <sys/stat.h>

namespace carillon {
namespace {

class BeneathTest : public ::testing::Test {
 protected:
  BeneathTest() {
    folder_.write("inside/a.txt", "a");
    folder_.write("outside.txt", "secret");
    top_ = open_folder(folder_.path() / "inside").value();
  }
  [[nodiscard]] Result<std::string> read(const std::string& path) const {
    return read_file_beneath(top_.get(), path, 100);
  }
  void link(const std::string& name, const std::filesystem::path& target) const {
    std::filesystem::create_symlink(target, folder_.path() / "inside" / name);
  }

  TemporaryFolder folder_;
  FileDescriptor top_;
};

TEST_F(BeneathTest, a_file_is_read_also_through_a_link_that_stays_inside) {
  link("b.txt", "a.txt");

  EXPECT_EQ(read("a.txt").value(), "a");
  EXPECT_EQ(read("b.txt").value(), "a");
}

TEST_F(BeneathTest, nothing_outside_is_opened_whatever_the_path_says) {
  link("relative", "../outside.txt");
  link("absolute", folder_.path() / "outside.txt");
  link("folder", "..");
  for (const char* path : {"../outside.txt", "relative", "absolute", "folder/outside.txt", "/etc/passwd"}) {
    const auto text = read(path);
    ASSERT_FALSE(text) << path;
    EXPECT_EQ(text.error().rule, "outside-folder") << path;
  }
}

TEST_F(BeneathTest, a_fifo_a_folder_and_a_large_file_are_refused_at_once) {
  ASSERT_EQ(::mkfifo((folder_.path() / "inside" / "fifo").c_str(), 0600), 0);
  folder_.write("inside/large", std::string(101, 'x'));

  EXPECT_FALSE(read("fifo"));
  EXPECT_FALSE(read("."));
  EXPECT_EQ(read("large").error().rule, "too-large");
  EXPECT_EQ(read("none").error().code, ErrorCode::not_found);
}

}  // namespace
}  // namespace carillon
