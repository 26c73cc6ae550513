#include "executors/process/command_test.hpp"
#include "executors/process/landlock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

namespace carillon {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view hidden_secret = "carillon_the_secret";
constexpr uid_t nobody_uid = 65'534;

/// Ways to read `<data>/admin.token`, each a script that prints what it can get.
std::vector<std::string> ways_to_read(const std::filesystem::path& data, pid_t server, pid_t launcher) {
  const std::string file = (data / "admin.token").native();
  const std::string name = data.filename().native();
  const std::string parent = data.parent_path().native();
  std::vector<std::string> ways{
      "cat " + file,
      "cd " + parent + " && cat ./" + name + "/admin.token",
      "cd " + parent + " && cat " + name + "/../" + name + "/admin.token",
      "cd " + data.native() + " && cat admin.token",
      "cat /proc/self/root" + file,
      "cat /proc/self/cwd" + file,
      "cat /proc/thread-self/root" + file,
      fmt::format("ln {} {}/hard-link && cat {}/hard-link", file, parent, parent),
      fmt::format("ln -s {} {}/soft-link; cat {}/soft-link", file, parent, parent),
      fmt::format("mv {} {}/moved && cat {}/moved", file, parent, parent),
      fmt::format("cp -r {} {}/copied; cat {}/copied/admin.token", data.native(), parent, parent),
      "tar -cf - -C " + parent + " " + name,
      "grep -r carillon_the " + data.native(),
      "find " + data.native() + " -name admin.token -exec cat {} +",
      "exec 9<" + file + " && cat <&9",
  };
  for (const pid_t pid : {server, launcher, pid_t{1}}) {
    ways.push_back(fmt::format("cat /proc/{}/root{}", pid, file));
    ways.push_back(fmt::format("cat /proc/{}/cwd{}", pid, file));
    ways.push_back(fmt::format("for f in /proc/{}/fd/*; do head -c 100 \"$f\" </dev/null; done", pid));
    ways.push_back(fmt::format("for t in /proc/{}/task/*; do cat $t/root{}; done", pid, file));
    ways.push_back(fmt::format("nsenter -t {} -m cat {}", pid, file));
  }
  return ways;
}

class HidingTest : public CommandTest {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "to become others takes root";
    make(folder_.path() / "data");
  }
  void TearDown() override {
    executor_.reset();
    if (!elsewhere_.empty()) std::filesystem::remove_all(elsewhere_);
  }
  /// A folder with a secret that modes alone would not protect.
  void make(const std::filesystem::path& data) {
    data_ = data;
    std::filesystem::create_directories(data_);
    std::ofstream{data_ / "admin.token"} << hidden_secret;
    // Held open as a server's files are.
    held_ = FileDescriptor{::open((data_ / "admin.token").c_str(), O_RDONLY | O_CLOEXEC)};
    ::chmod(folder_.path().c_str(), 0755);
  }
  [[nodiscard]] LauncherOptions with_hiding() const {
    return {.kept_folder = data_ / "adopted", .hidden_folder = data_, .grace = std::chrono::milliseconds{100}};
  }
  void expect_no_way_to_read(const std::optional<std::string>& user) {
    for (const std::string& way : ways_to_read(data_, ::getpid(), launcher_pid_)) {
      CommandAction action = script("exec 2>&1; " + way);
      action.user = user;
      const Performed performed = perform(action);
      EXPECT_THAT(performed.out, Not(HasSubstr(hidden_secret))) << way;
      ASSERT_EQ(text_of_file(data_ / "admin.token"), hidden_secret) << "changed by: " << way;
    }
  }

  /// A server of another user, in a process of its own: what it finds wrong is its exit code.
  template <typename Work>
  void as_nobody(Work work) {
    executor_.reset();
    const pid_t server = ::fork();
    if (server == 0) {
      if (::setgroups(0, nullptr) != 0 || ::setresgid(nobody_uid, nobody_uid, nobody_uid) != 0 ||
          ::setresuid(nobody_uid, nobody_uid, nobody_uid) != 0)
        ::_exit(99);
      work();
      executor_.reset();
      ::_exit(testing::Test::HasFailure() ? 1 : 0);
    }
    int status = 0;
    ::waitpid(server, &status, 0);
    EXPECT_EQ(status, 0);
  }
  /// In a folder beside which only root can write.
  void make_in_closed_folder() {
    elsewhere_ = fmt::format("/run/carillon-hiding-{}", ::getpid());
    make(elsewhere_ / "data");
    for (const auto& entry : std::filesystem::recursive_directory_iterator{data_})
      ASSERT_EQ(::chown(entry.path().c_str(), nobody_uid, nobody_uid), 0);
    ASSERT_EQ(::chown(data_.c_str(), nobody_uid, nobody_uid), 0);
    ASSERT_EQ(::chmod(data_.c_str(), 0700), 0);
  }

  std::filesystem::path data_;
  std::filesystem::path elsewhere_;
  FileDescriptor held_;
};

TEST_F(HidingTest, without_it_a_command_can_read_the_folder_in_every_way) {
  begin();

  EXPECT_EQ(hiding_.how, Hiding::How::not_asked);
  EXPECT_EQ(perform(script("cat " + (data_ / "admin.token").native())).out, hidden_secret);
  EXPECT_EQ(perform(script(fmt::format("cat /proc/{}/root{}/admin.token", ::getpid(), data_.native()))).out,
            hidden_secret);
}

TEST_F(HidingTest, a_command_of_root_cannot_read_the_folder) {
  begin(with_hiding());
  ASSERT_EQ(hiding_.how, Hiding::How::mount) << hiding_.why_not;
  if (landlock::version() < 6) GTEST_SKIP() << "the kernel lets root look through other processes";

  expect_no_way_to_read(std::nullopt);
}

TEST_F(HidingTest, a_command_of_another_user_cannot_read_the_folder) {
  begin(with_hiding());

  expect_no_way_to_read("nobody");
}

TEST_F(HidingTest, everything_beside_the_folder_is_as_it_was) {
  begin(with_hiding());
  const std::string parent = data_.parent_path().native();

  const Performed performed = perform(
      script("set -e; cd " + parent + "; echo new >beside; mkdir made; mv beside made/moved; ls -A data | wc -l"));

  EXPECT_EQ(performed.end.outcome, AttemptOutcome::succeeded) << performed.error;
  EXPECT_EQ(performed.out, "0\n") << "an empty folder lies over it";
  EXPECT_EQ(text_of_file(data_.parent_path() / "made" / "moved"), "new\n") << "what a command makes, others see";
  EXPECT_EQ(text_of_file(data_ / "admin.token"), hidden_secret) << "the server sees it as before";
  folder_.write("later", "later");
  EXPECT_EQ(perform(script("cat " + parent + "/later")).out, "later");
}

TEST_F(HidingTest, a_command_that_outlives_its_server_can_still_be_kept) {
  begin(with_hiding());
  CommandAction action = script("echo out");
  action.on_owner_loss = OnOwnerLoss::adopt;

  const Performed performed = perform(action);

  EXPECT_EQ(performed.end.outcome, AttemptOutcome::succeeded) << performed.end.error;
  EXPECT_EQ(performed.out, "out\n");
  EXPECT_FALSE(std::filesystem::is_empty(data_ / "adopted")) << "where the next server would come to";
}

TEST_F(HidingTest, a_server_that_may_not_mount_hides_the_folder_where_only_root_can_write_beside_it) {
  if (landlock::version() < 2) GTEST_SKIP() << "the kernel has no Landlock";
  make_in_closed_folder();

  as_nobody([&] {
    begin(with_hiding());
    EXPECT_EQ(hiding_.how, Hiding::How::landlock) << hiding_.why_not;
    expect_no_way_to_read(std::nullopt);
    EXPECT_EQ(perform(script("echo evil >" + (data_ / "carillon.db-journal").native())).end.exit_code, 2);
    EXPECT_EQ(perform(script("rm -f " + (data_ / "admin.token").native())).end.exit_code, 1);
    EXPECT_EQ(perform(script("f=$(mktemp) && echo x >$f && mv $f $f.2 && cat $f.2 && rm $f.2; ls /")).error, "");
    CommandAction kept = script("echo out");
    kept.on_owner_loss = OnOwnerLoss::adopt;
    EXPECT_EQ(perform(kept).out, "out\n");
  });
}

TEST_F(HidingTest, what_appears_beside_the_folder_later_can_be_used_by_the_next_command) {
  if (landlock::version() < 2) GTEST_SKIP() << "the kernel has no Landlock";
  make_in_closed_folder();
  const std::filesystem::path sign = folder_.path() / "begun";
  std::filesystem::permissions(folder_.path(), std::filesystem::perms::all);

  executor_.reset();
  const pid_t server = ::fork();
  if (server == 0) {
    if (::setresgid(nobody_uid, nobody_uid, nobody_uid) != 0 || ::setresuid(nobody_uid, nobody_uid, nobody_uid) != 0)
      ::_exit(99);
    begin(with_hiding());
    perform(script("touch " + sign.native() + "; " + until_there(elsewhere_ / "later")));
    const Performed performed = perform(script("cat " + (elsewhere_ / "later").native()));
    executor_.reset();
    ::_exit(performed.out == "later" ? 0 : 1);
  }
  begin();
  perform(script(until_there(sign) + "; printf later >" + (elsewhere_ / "new").native() + "; mv " +
                 (elsewhere_ / "new").native() + " " + (elsewhere_ / "later").native()));
  int status = 0;
  ::waitpid(server, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_F(HidingTest, where_it_cannot_be_hidden_the_launcher_says_why) {
  as_nobody([&] {
    begin(with_hiding());
    EXPECT_EQ(hiding_.how, Hiding::How::failed);
    EXPECT_THAT(hiding_.why_not, HasSubstr(std::filesystem::temp_directory_path().string()));
    EXPECT_EQ(perform(script("echo works")).out, "works\n");
  });
}

}  // namespace
}  // namespace carillon
