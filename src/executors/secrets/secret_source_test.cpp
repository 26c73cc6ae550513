#include "executors/secrets/secret_source.hpp"

#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>

namespace carillon {
namespace {

using testing::HasSubstr;

class SecretSourceTest : public testing::Test {
 protected:
  SecretSourceTest() {
    std::filesystem::create_directory(folder_.path() / "data");
    std::filesystem::create_directory(folder_.path() / "secrets");
    ::chmod((folder_.path() / "secrets").c_str(), 0700);
    folder_.write("secrets/db", "s3cret\n");
    ::chmod((folder_.path() / "secrets/db").c_str(), 0600);
    ::setenv("CARILLON_TEST_SECRET", "from outside\n", 1);
  }
  ~SecretSourceTest() override { ::unsetenv("CARILLON_TEST_SECRET"); }

  [[nodiscard]] SecretSource source(SecretOptions options) const {
    return SecretSource::open(options, folder_.path() / "data").value();
  }
  [[nodiscard]] SecretSource whole() const {
    return source(
        {.directory = folder_.path() / "secrets", .variables = {"CARILLON_TEST_SECRET", "CARILLON_TEST_NONE"}});
  }

  TemporaryFolder folder_;
};

TEST_F(SecretSourceTest, reads_files_of_the_directory_and_variables_of_the_list) {
  EXPECT_EQ(whole().read("${secret:db}").value(), "s3cret");
  EXPECT_EQ(whole().read("${file:db}").value(), "s3cret");
  EXPECT_EQ(whole().read("${file:" + (folder_.path() / "secrets/db").string() + "}").value(), "s3cret");
  EXPECT_EQ(whole().read("${env:CARILLON_TEST_SECRET}").value(), "from outside\n");
}

TEST_F(SecretSourceTest, reads_nothing_that_was_not_allowed) {
  const SecretSource nothing = source({});

  EXPECT_EQ(nothing.read("${secret:db}").error().message,
            "${secret:db} cannot be read: this server has no secret directory");
  EXPECT_EQ(nothing.read("${secret:db}").error().hint, "start it with --secret-dir DIR");
  EXPECT_EQ(nothing.read("${file:/etc/shadow}").error().message,
            "${file:/etc/shadow} cannot be read: this server has no secret directory");
  EXPECT_EQ(nothing.read("${env:CARILLON_TEST_SECRET}").error().message,
            "${env:CARILLON_TEST_SECRET} cannot be read: this server does not allow that variable");
  EXPECT_EQ(nothing.read("${env:CARILLON_TEST_SECRET}").error().hint,
            "start it with --secret-env CARILLON_TEST_SECRET");
  EXPECT_FALSE(whole().read("${file:/etc/shadow}"));
  EXPECT_FALSE(whole().read("${env:PATH}"));
  EXPECT_FALSE(whole().read("${vault:x}"));
}

TEST_F(SecretSourceTest, names_what_is_not_there) {
  EXPECT_THAT(whole().read("${secret:nothing}").error().message, HasSubstr("${secret:nothing} cannot be read: /"));
  EXPECT_EQ(whole().read("${env:CARILLON_TEST_NONE}").error().message,
            "${env:CARILLON_TEST_NONE} cannot be read: the server has no such variable");
}

TEST_F(SecretSourceTest, knows_beforehand_what_it_will_never_read) {
  EXPECT_FALSE(whole().refusal("${secret:nothing}"));
  EXPECT_FALSE(whole().refusal("${env:CARILLON_TEST_NONE}"));
  EXPECT_TRUE(whole().refusal("${file:/etc/shadow}"));
  EXPECT_TRUE(whole().refusal("${env:PATH}"));
  EXPECT_TRUE(source({}).refusal("${secret:db}"));
}

TEST_F(SecretSourceTest, refuses_names_that_no_variable_has) {
  EXPECT_FALSE(SecretSource::open({.variables = {"A=B"}}, folder_.path() / "data"));
}

}  // namespace
}  // namespace carillon
