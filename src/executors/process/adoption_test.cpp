#include "executors/process/command_test.hpp"
#include "executors/process/detached_work.hpp"
#include "executors/process/launcher_lock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>

namespace carillon {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ResultOf;
using testing::UnorderedElementsAre;

using std::chrono::milliseconds;

constexpr AttemptKey first{.run = Seq{1}, .attempt = 1};
constexpr AttemptKey second{.run = Seq{2}, .attempt = 1};

CommandAction adopted(CommandAction action) {
  action.on_owner_loss = OnOwnerLoss::adopt;
  return action;
}

class Adoption : public CommandTest {
 protected:
  struct Server {
    pid_t pid = 0;
    FileDescriptor launcher;
  };

  [[nodiscard]] std::filesystem::path kept() const { return folder_.path() / "adopted"; }
  [[nodiscard]] std::string at(const std::string& name) const { return (folder_.path() / name).native(); }
  [[nodiscard]] LauncherOptions options() const {
    return {.lock_file = folder_.path() / "launcher.lock", .kept_folder = kept(), .grace = milliseconds{100}};
  }

  /// This process becomes the next server.
  void begin_again() {
    executor_.reset();
    const auto gone = wait_until_gone(options().lock_file, patience);
    ASSERT_TRUE(gone) << gone.error().message;
    auto detached = find_detached_work(kept(), patience);
    ASSERT_TRUE(detached) << detached.error().message;
    detached_work_ = list_of(*detached);
    problems_ = detached->problems;
    begin(options(), {}, *std::move(detached));
  }
  [[nodiscard]] std::vector<AttemptKey> detached() const {
    std::vector<AttemptKey> keys;
    for (const DetachedAttempt& detached_attempt : detached_work_) keys.push_back(detached_attempt.key);
    return keys;
  }

  /// A server of its own, a process that does this and then only waits.
  template <typename Work>
  Server serve(Work work) {
    std::array<int, 2> pipe{};
    EXPECT_EQ(::pipe2(pipe.data(), O_CLOEXEC), 0);
    const pid_t server = ::fork();
    if (server == 0) {
      work();
      EXPECT_EQ(::write(pipe[1], &launcher_pid_, sizeof(launcher_pid_)), static_cast<ssize_t>(sizeof(launcher_pid_)));
      while (true) ::pause();
    }
    ::close(pipe[1]);
    // Attempts of this process are others.
    run_count_ = 100;
    pid_t launcher = 0;
    EXPECT_EQ(::read(pipe[0], &launcher, sizeof(launcher)), static_cast<ssize_t>(sizeof(launcher)));
    ::close(pipe[0]);
    return {.pid = server, .launcher = open_process(launcher)};
  }
  /// One that has launched this, and heard it say that it is ready.
  Server serve_with(const std::vector<CommandAction>& actions) {
    return serve([&] {
      begin(options());
      for (const CommandAction& action : actions) attempts_.await_output(launch(action), "ready");
    });
  }
  void resume(const AttemptKey& key, TextMap secrets = {}, bool is_output_withheld = false) {
    executor().resume({.key = key,
                       .action = {},
                       .envelope = {},
                       .secrets = std::move(secrets),
                       .is_output_withheld = is_output_withheld});
  }
  static void kill(const Server& server) {
    ::kill(server.pid, SIGKILL);
    ::waitpid(server.pid, nullptr, 0);
  }
  /// With a launcher that knows of nobody else.
  void await_file(const std::string& name) {
    begin();
    perform(script(until_there(at(name))));
    executor_.reset();
  }
  void touch(const std::string& name) { folder_.write(name, ""); }

  std::vector<DetachedAttempt> detached_work_;
  std::vector<std::string> problems_;
};

TEST_F(Adoption, a_command_outlives_its_server_and_the_next_one_hears_how_it_ends) {
  kill(serve_with({adopted(script("echo ready; " + until_there(at("go")) + "; echo after; exit 3"))}));
  begin_again();
  ASSERT_THAT(detached(), ElementsAre(first));
  resume(first);
  touch("go");
  const auto record = attempts_.await_end(first);

  EXPECT_EQ(record.ends.at(0).outcome, AttemptOutcome::failed);
  EXPECT_EQ(record.ends.at(0).exit_code, 3);
  EXPECT_TRUE(record.ends.at(0).use.has_value());
  EXPECT_EQ(record.out, "after\n");
  EXPECT_FALSE(record.is_launched);
}

TEST_F(Adoption, the_secrets_of_a_command_are_hidden_by_the_next_server_too) {
  const auto action = script("echo ready; " + until_there(at("gone")) + "; echo is s3cret; touch " + at("printed") +
                             "; " + until_there(at("go")) + "; echo still s3cret");
  kill(serve_with({adopted(action)}));
  touch("gone");
  await_file("printed");
  begin_again();
  resume(first, {{"${secret:a}", "s3cret"}});
  touch("go");

  EXPECT_EQ(attempts_.await_end(first).out, "is ***\nstill ***\n");
}

TEST_F(Adoption, what_may_hold_secrets_that_are_not_known_is_not_shown) {
  kill(serve_with({adopted(script("echo ready; " + until_there(at("go")) + "; echo s3cret; echo s3cret >&2"))}));
  begin_again();
  resume(first, {}, true);
  touch("go");
  const auto record = attempts_.await_end(first);

  EXPECT_EQ(record.out, "");
  EXPECT_EQ(record.error, "(output is not shown: the secrets to mask in it cannot be read)\n");
}

TEST_F(Adoption, what_is_printed_while_nobody_serves_comes_before_what_follows) {
  const Server server =
      serve_with({adopted(script("echo ready; " + until_there(at("gone")) + "; echo two; echo three >&2; touch " +
                                 at("printed") + "; " + until_there(at("go")) + "; echo four"))});
  kill(server);
  touch("gone");
  await_file("printed");
  begin_again();
  resume(first);
  attempts_.await_output(first, "two");
  touch("go");
  const auto record = attempts_.await_end(first);

  EXPECT_EQ(record.out, "two\nfour\n");
  EXPECT_EQ(record.error, "three\n");
  EXPECT_EQ(record.ends.at(0).outcome, AttemptOutcome::succeeded);
}

TEST_F(Adoption, what_ends_while_nobody_serves_is_kept_on_disk_until_its_end_is_recorded) {
  const Server server = serve_with({adopted(script("echo ready; " + until_there(at("gone")) + "; echo late; exit 7"))});
  kill(server);
  touch("gone");
  ASSERT_TRUE(is_gone_soon(server.launcher));

  for (int look = 0; look < 2; ++look) {
    begin_again();
    ASSERT_THAT(detached(), ElementsAre(first)) << look;
    executor_.reset();
  }
  begin_again();
  resume(first);
  const auto record = attempts_.await_end(first);
  EXPECT_EQ(record.ends.at(0).exit_code, 7);
  EXPECT_EQ(record.out, "late\n");
  executor().recorded(first);
  executor_.reset();

  begin_again();
  EXPECT_THAT(detached(), IsEmpty());
  EXPECT_TRUE(std::filesystem::is_empty(kept()));
}

TEST_F(Adoption, a_command_that_is_not_to_be_adopted_dies_beside_one_that_is) {
  kill(serve_with({adopted(script("echo ready; exec sleep 1000")),
                   script("echo $$ > " + at("mortal") + "; echo ready; exec sleep 1000")}));
  begin_again();

  EXPECT_THAT(detached(), ElementsAre(first));
  EXPECT_THAT(numbers_of(text_of_file(at("mortal"))), Each(ResultOf(is_there, false)));
  resume(first);
  executor().stop(first, Stop::terminate);
  EXPECT_EQ(attempts_.await_end(first).ends.at(0).outcome, AttemptOutcome::cancelled);
}

TEST_F(Adoption, an_adopted_command_can_be_asked_to_end) {
  kill(serve_with({adopted(script("trap 'echo bye; exit 5' TERM; echo ready; while :; do sleep 0.01; done"))}));
  begin_again();
  resume(first);
  executor().stop(first, Stop::cancel);
  const auto record = attempts_.await_end(first);

  EXPECT_EQ(record.ends.at(0).outcome, AttemptOutcome::cancelled);
  EXPECT_EQ(record.ends.at(0).exit_code, 5);
  EXPECT_EQ(record.out, "bye\n");
}

TEST_F(Adoption, its_time_runs_out_without_a_server) {
  const Server server = serve([this] {
    begin(options());
    Assignment late = assignment(adopted(script("trap '' TERM; echo ready; while :; do sleep 0.01; done")));
    late.timeout_at = boot_now() + milliseconds{300};
    late.grace = milliseconds{50};
    attempts_.await_output(launch(std::move(late)), "ready");
  });
  kill(server);
  ASSERT_TRUE(is_gone_soon(server.launcher));
  begin_again();

  ASSERT_THAT(detached(), ElementsAre(first));
  EXPECT_EQ(detached_work_.at(0).stopped, StopCause::timeout);
  resume(first);
  const auto record = attempts_.await_end(first);
  EXPECT_EQ(record.ends.at(0).outcome, AttemptOutcome::cancelled);
  EXPECT_EQ(record.ends.at(0).signal, SIGKILL);
}

TEST_F(Adoption, one_that_was_asked_to_end_is_ended_by_force_without_the_server_that_asked) {
  const Server server = serve([this] {
    begin(options());
    Assignment stubborn =
        assignment(adopted(script("trap 'echo asked' TERM; echo ready; while :; do sleep 0.01; done")));
    stubborn.grace = milliseconds{50};
    const AttemptKey key = launch(std::move(stubborn));
    attempts_.await_output(key, "ready");
    executor().stop(key, Stop::cancel);
    attempts_.await_output(key, "asked");
  });
  kill(server);
  ASSERT_TRUE(is_gone_soon(server.launcher));
  begin_again();

  ASSERT_THAT(detached(), ElementsAre(first));
  EXPECT_EQ(detached_work_.at(0).stopped, StopCause::request);
}

TEST_F(Adoption, an_end_that_was_told_and_not_recorded_is_told_again) {
  kill(serve([this] {
    begin(options());
    perform(adopted(script("exit 4")));
    const AttemptKey recorded = launch(adopted(script("exit 6")));
    await_end(recorded);
    executor().recorded(recorded);
    // Whatever comes next has been sent behind it.
    perform(command({"/bin/true"}));
  }));
  begin_again();

  ASSERT_THAT(detached(), ElementsAre(first));
  resume(first);
  EXPECT_EQ(attempts_.await_end(first).ends.at(0).exit_code, 4);
}

TEST_F(Adoption, it_outlives_the_next_server_too_and_so_does_what_that_one_began) {
  kill(serve_with({adopted(script("echo ready; " + until_there(at("go")) + "; echo one"))}));
  kill(serve([this] {
    begin_again();
    resume(first);
    run_count_ = 1;
    attempts_.await_output(launch(adopted(script("echo ready; " + until_there(at("go")) + "; echo two"))), "ready");
  }));
  begin_again();
  ASSERT_THAT(detached(), UnorderedElementsAre(first, second));
  resume(first);
  resume(second);
  touch("go");

  EXPECT_EQ(attempts_.await_end(first).out, "one\n");
  EXPECT_EQ(attempts_.await_end(second).out, "two\n");
}

TEST_F(Adoption, what_nobody_resumes_stays_as_it_is) {
  kill(serve_with({adopted(script("echo ready; " + until_there(at("gone")) + "; echo kept; touch " + at("printed") +
                                  "; " + until_there(at("go"))))}));
  touch("gone");
  await_file("printed");
  begin_again();
  ASSERT_THAT(detached(), ElementsAre(first));
  executor_.reset();

  begin_again();
  ASSERT_THAT(detached(), ElementsAre(first));
  resume(first);
  EXPECT_EQ(attempts_.await_output(first, "kept").out, "kept\n");
  touch("go");
  EXPECT_EQ(attempts_.await_end(first).ends.at(0).outcome, AttemptOutcome::succeeded);
}

TEST_F(Adoption, what_is_let_go_is_ended_without_a_word) {
  const Server server = serve_with({adopted(script("trap '' TERM; echo ready; while :; do sleep 0.01; done"))});
  kill(server);
  begin_again();
  executor().let_go(first);
  ASSERT_TRUE(is_gone_soon(server.launcher));
  executor_.reset();

  begin_again();
  EXPECT_THAT(detached(), IsEmpty());
  EXPECT_THAT(attempts_.await(first, [](const auto&) { return true; }).ends, IsEmpty());
}

TEST_F(Adoption, a_server_that_goes_in_good_order_leaves_nothing_behind) {
  begin(options());
  const AttemptKey key = launch(adopted(script("echo $$ > " + at("pid") + "; echo ready; exec sleep 1000")));
  attempts_.await_output(key, "ready");
  executor_.reset();

  EXPECT_THAT(numbers_of(text_of_file(at("pid"))), Each(ResultOf(is_there, false)));
  EXPECT_FALSE(is_launcher_alive(options().lock_file).value());
}

TEST_F(Adoption, nothing_is_left_of_a_launcher_that_was_killed) {
  const Server server = serve_with({adopted(script("echo $$ > " + at("pid") + "; echo ready; exec sleep 1000"))});
  const FileDescriptor command = open_process(numbers_of(text_of_file(at("pid"))).at(0));
  kill(server);
  ASSERT_TRUE(wait_until_gone(options().lock_file, patience));
  signal_process(server.launcher, SIGKILL);
  ASSERT_TRUE(is_gone_soon(server.launcher));
  begin_again();

  EXPECT_TRUE(is_gone_soon(command));
  EXPECT_THAT(detached(), IsEmpty());
  EXPECT_TRUE(std::filesystem::is_empty(kept()));
}

TEST_F(Adoption, a_launcher_whose_folder_was_removed_goes_with_its_last_command) {
  const Server server = serve_with({adopted(script("echo ready; " + until_there(at("gone"))))});
  kill(server);
  ASSERT_TRUE(wait_until_gone(options().lock_file, patience));
  std::filesystem::remove_all(kept());
  touch("gone");

  EXPECT_TRUE(is_gone_soon(server.launcher));
}

TEST_F(Adoption, who_cannot_take_commands_over_is_told_that_there_are_some) {
  EXPECT_TRUE(expect_no_detached_work(kept(), patience));
  kill(serve_with({adopted(script("echo ready; exec sleep 1000"))}));
  ASSERT_TRUE(wait_until_gone(options().lock_file, patience));

  const auto refused = expect_no_detached_work(kept(), patience);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::conflict);
  begin_again();
  resume(first);
  executor().stop(first, Stop::terminate);
  attempts_.await_end(first);
  executor().recorded(first);
  executor_.reset();
  EXPECT_TRUE(expect_no_detached_work(kept(), patience));
}

TEST_F(Adoption, a_damaged_end_is_reported_and_removed) {
  const DetachedFiles files = DetachedFiles::make(kept()).value();
  DetachedEnd end{};
  end.kept.key = first;
  ASSERT_TRUE(files.write_end(end));
  const std::string name = DetachedFiles::end_name(first);
  std::string bytes = text_of_file(kept() / name);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  std::ofstream{kept() / name} << bytes;
  begin_again();

  EXPECT_THAT(detached(), IsEmpty());
  EXPECT_THAT(problems_, ElementsAre(HasSubstr(name)));
  EXPECT_TRUE(std::filesystem::is_empty(kept()));
}

TEST_F(Adoption, without_a_place_to_be_kept_such_a_command_is_not_started) {
  const Performed performed = perform(adopted(script("touch " + at("begun"))));

  EXPECT_EQ(performed.end.outcome, AttemptOutcome::failed);
  EXPECT_THAT(performed.end.error, HasSubstr("adopt"));
  EXPECT_FALSE(std::filesystem::exists(at("begun")));
}

TEST_F(Adoption, a_folder_that_others_may_look_into_is_not_used) {
  std::filesystem::create_directory(kept());
  std::filesystem::permissions(kept(), std::filesystem::perms::all);
  begin(options());

  EXPECT_THAT(perform(adopted(script("exit 0"))).end.error, HasSubstr("must belong to this user and be private"));
}

}  // namespace
}  // namespace carillon
