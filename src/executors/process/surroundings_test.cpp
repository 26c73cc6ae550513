#include "executors/process/command_test.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pwd.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace carillon {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::UnorderedElementsAre;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream{text};
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

class Surroundings : public CommandTest {};

TEST_F(Surroundings, a_command_sees_no_variable_of_the_server_that_was_not_meant_for_it) {
  ::setenv("CARILLON_TOKEN", "canary", 1);
  ::setenv("DATABASE_URL", "canary", 1);
  ::setenv("LANG", "C.UTF-8", 1);
  const Performed performed = perform(command({"/usr/bin/env"}));
  ::unsetenv("CARILLON_TOKEN");
  ::unsetenv("DATABASE_URL");

  std::vector<std::string> names;
  for (const std::string& line : lines_of(performed.out)) names.push_back(line.substr(0, line.find('=')));
  std::erase_if(names, [](const std::string& name) {
    return name == "PATH" || name == "HOME" || name == "USER" || name == "LOGNAME" || name == "SHELL" ||
           name == "LC_ALL" || name == "LC_CTYPE" || name == "TZ" || name == "TMPDIR";
  });
  EXPECT_THAT(names,
              UnorderedElementsAre("LANG", "CARILLON_NAMESPACE", "CARILLON_SCHEDULE_ID", "CARILLON_SCHEDULE_NAME",
                                   "CARILLON_RUN_ID", "CARILLON_RUN_NAME", "CARILLON_NOMINAL_TIME", "CARILLON_DUE_TIME",
                                   "CARILLON_ATTEMPT", "CARILLON_SOURCE", "CARILLON_REPEAT_NUMBER", "CARILLON_FENCE",
                                   "CARILLON_PAYLOAD"));
  EXPECT_THAT(performed.out, Not(HasSubstr("canary")));
}

TEST_F(Surroundings, secrets_are_put_into_variables_when_it_is_launched) {
  CommandAction action = script("test \"$PASSWORD $PLAIN\" = 's3cret as it is' && echo same");
  action.env = {{"PASSWORD", "${env:PASSWORD}"}, {"PLAIN", "as it is"}};
  Assignment with_secret = assignment(std::move(action));
  with_secret.secrets = {{"${env:PASSWORD}", "s3cret"}};

  EXPECT_EQ(perform(std::move(with_secret)).out, "same\n");
}

TEST_F(Surroundings, a_secret_that_cannot_be_had_is_a_failure) {
  CommandAction action = command({"/bin/true"});
  action.env["KEY"] = "${env:PASSWORD}";
  const Performed performed = perform(action);

  EXPECT_EQ(performed.end.outcome, AttemptOutcome::failed);
  EXPECT_EQ(performed.end.error, "${env:PASSWORD} cannot be resolved here, resolving the value of \"KEY\"");
  EXPECT_FALSE(performed.is_launched);
}

TEST_F(Surroundings, secrets_are_hidden_in_what_a_command_prints) {
  // Cut in the middle, so that it comes in two pieces; then as it is encoded; then on the other stream.
  CommandAction action = script(
      "printf 'a %s' \"${PASSWORD%???}\"; printf '%s b\\n' \"${PASSWORD#????????????}\";"
      "printf '%s' \"$PASSWORD\" | base64; printf '%s' \"$PASSWORD\" >&2; printf 'canary-s3c' >&2");
  action.env = {{"PASSWORD", "${secret:a}"}};
  Assignment with_secret = assignment(std::move(action));
  with_secret.secrets = {{"${secret:a}", "canary-s3cret12"}};
  const Performed performed = perform(std::move(with_secret));

  EXPECT_EQ(performed.out, "a *** b\n***\n");
  EXPECT_EQ(performed.error, "***canary-s3c") << "what only begins like a secret is shown when nothing follows";
}

TEST_F(Surroundings, secrets_are_hidden_in_errors) {
  CommandAction action = command({"/nowhere/canary-s3cret"});
  Assignment with_secret = assignment(std::move(action));
  with_secret.secrets = {{"${secret:a}", "canary-s3cret"}};

  EXPECT_THAT(perform(std::move(with_secret)).end.error, AllOf(HasSubstr("/nowhere/***"), Not(HasSubstr("canary"))));
}

TEST_F(Surroundings, a_command_has_three_open_files) {
  // The first three, and the folder that ls itself reads.
  const Performed performed = perform(command({"/bin/ls", "/proc/self/fd"}));

  EXPECT_THAT(lines_of(performed.out), ElementsAre("0", "1", "2", "3"));
}

TEST_F(Surroundings, no_other_command_holds_the_output_of_one_that_ended) {
  const AttemptKey sleeper = launch(script("echo begun; exec sleep 1000"));
  attempts_.await_output(sleeper, "begun");
  const Performed performed = perform(command({"/bin/echo", "done"}));
  executor().stop(sleeper, Stop::terminate);

  EXPECT_EQ(performed.out, "done\n");
  await_end(sleeper);
}

TEST_F(Surroundings, standard_input_is_what_the_command_says) {
  CommandAction action = command({"/bin/cat"});
  action.standard_input = std::string("first\n\0last", 11);

  EXPECT_EQ(perform(action).out, *action.standard_input);
}

TEST_F(Surroundings, a_megabyte_of_standard_input_may_be_read_or_not) {
  CommandAction action = command({"/usr/bin/wc", "-c"});
  action.standard_input = std::string(1024 * 1024, 'x');
  EXPECT_EQ(perform(action).out, "1048576\n");

  action.argv = {"/bin/true"};
  EXPECT_EQ(perform(action).end.outcome, AttemptOutcome::succeeded);
}

TEST_F(Surroundings, without_standard_input_there_is_nothing_to_read) {
  EXPECT_EQ(perform(command({"/bin/cat"})).end.outcome, AttemptOutcome::succeeded);
}

TEST_F(Surroundings, a_command_runs_in_its_folder_or_else_in_that_of_the_options) {
  ProcessOptions options;
  options.folder = "/usr";
  begin(std::move(options));
  CommandAction action = command({"/bin/pwd"});
  EXPECT_EQ(perform(action).out, "/usr\n");
  action.cwd = "/tmp/";
  EXPECT_EQ(perform(action).out, "/tmp\n");

  action.cwd = "/no/such/folder";
  const Performed performed = perform(action);
  EXPECT_EQ(performed.end.outcome, AttemptOutcome::failed);
  EXPECT_EQ(performed.end.error, "cannot enter folder \"/no/such/folder\": No such file or directory");
}

TEST_F(Surroundings, a_command_begins_with_plain_signals_mask_session_and_no_way_to_gain_privileges) {
  // A server that ignores and blocks must not pass that on.
  ::signal(SIGPIPE, SIG_IGN);
  const Performed performed =
      perform(script("umask; grep -E '^(SigBlk|SigIgn|NoNewPrivs|CapAmb)' /proc/self/status; "
                     "cut -d' ' -f1,5,6,7 /proc/$$/stat; echo $$"));
  ::signal(SIGPIPE, SIG_DFL);

  const std::vector<std::string> lines = lines_of(performed.out);
  ASSERT_EQ(lines.size(), 7U) << performed.out;
  EXPECT_EQ(lines[0], "0022");
  EXPECT_EQ(lines[1], "SigBlk:\t0000000000000000");
  EXPECT_EQ(lines[2], "SigIgn:\t0000000000000000");
  EXPECT_EQ(lines[3], "CapAmb:\t0000000000000000");
  EXPECT_EQ(lines[4], "NoNewPrivs:\t1");
  // Its own number, group, session; no terminal.
  const std::string& pid = lines[6];
  EXPECT_EQ(lines[5], pid + " " + pid + " " + pid + " 0");
}

TEST_F(Surroundings, limits_hold) {
  CommandAction action = script("ulimit -n; ulimit -t; ulimit -Hn");
  action.limits = {{"nofile", 77}, {"cpu", 33}};
  EXPECT_EQ(perform(action).out, "77\n33\n77\n");

  action = script("head -c 10000 /dev/zero > " + (folder_.path() / "big").native());
  action.limits = {{"fsize", 4096}};
  EXPECT_EQ(perform(action).end.outcome, AttemptOutcome::failed);
  EXPECT_EQ(std::filesystem::file_size(folder_.path() / "big"), 4096U);
}

TEST_F(Surroundings, a_command_has_the_limit_of_open_files_that_the_server_began_with) {
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  const rlimit lowered{100, before.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &lowered);
  const Performed performed = perform(script("ulimit -Sn"));
  ::setrlimit(RLIMIT_NOFILE, &before);

  EXPECT_EQ(performed.out, "100\n");
}

TEST_F(Surroundings, a_user_that_does_not_exist_is_a_failure) {
  CommandAction action = command({"/bin/true"});
  action.user = "no-such-user";
  const Performed performed = perform(action);

  EXPECT_EQ(performed.end.outcome, AttemptOutcome::failed);
  EXPECT_EQ(performed.end.error, "user \"no-such-user\" does not exist");
}

class OtherUsers : public CommandTest {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "needs the right to become somebody else";
  }

  /// What `check` tells in a process that is nobody's.
  template <typename Check>
  int as_nobody(Check check) {
    const passwd* nobody = ::getpwnam("nobody");
    const pid_t pid = ::fork();
    if (pid == 0) {
      const bool is_nobody = ::setgid(nobody->pw_gid) == 0 && ::setuid(nobody->pw_uid) == 0 && ::chdir("/") == 0;
      ::_exit(is_nobody ? check() : 99);
    }
    int status = 0;
    ::waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 98;
  }
};

TEST_F(OtherUsers, a_command_runs_as_its_user_with_nothing_left_of_the_server) {
  CommandAction action =
      script("id -u; id -g; id -G; echo $HOME $USER $LOGNAME; grep -E '^Cap(Prm|Eff)' /proc/self/status");
  action.user = "nobody";
  const passwd* nobody = ::getpwnam("nobody");
  const std::string uid = std::to_string(nobody->pw_uid);
  const std::string gid = std::to_string(nobody->pw_gid);

  EXPECT_EQ(perform(action).out, uid + "\n" + gid + "\n" + gid + "\n" + nobody->pw_dir + " nobody nobody\n" +
                                     "CapPrm:\t0000000000000000\nCapEff:\t0000000000000000\n");
}

TEST_F(OtherUsers, a_command_that_names_no_user_runs_as_the_one_of_the_server) {
  ProcessOptions options;
  options.run_as = "nobody";
  begin(std::move(options));

  EXPECT_EQ(perform(script("id -un; echo $USER $HOME")).out, "nobody\nnobody /nonexistent\n");
}

TEST_F(OtherUsers, a_user_that_the_server_does_not_allow_is_refused_also_at_the_launch) {
  ProcessOptions options;
  options.users = CommandUsers{.own = "root", .others = {"nobody"}};
  begin(std::move(options));
  CommandAction action = script("id -un");
  action.user = "daemon";

  const Performed refused = perform(action);
  action.user = "nobody";
  const Performed allowed = perform(action);

  EXPECT_EQ(refused.end.outcome, AttemptOutcome::failed);
  EXPECT_FALSE(refused.is_launched);
  EXPECT_EQ(refused.end.error,
            "this server does not run commands as user \"daemon\": it must be started with --allow-user daemon");
  EXPECT_EQ(allowed.out, "nobody\n");
}

TEST_F(OtherUsers, a_folder_that_is_closed_to_the_user_stays_closed) {
  std::filesystem::permissions(folder_.path(), std::filesystem::perms::owner_all);
  CommandAction action = command({"/bin/true"});
  action.user = "nobody";
  action.cwd = folder_.path();

  EXPECT_THAT(perform(action).end.error, HasSubstr("Permission denied"));
}

TEST_F(OtherUsers, commands_of_another_user_can_be_stopped) {
  CommandAction action = script("(setsid sleep 1000 & echo $!); echo $$; exec sleep 1000");
  action.user = "nobody";
  const AttemptKey key = launch(action);
  const auto pids =
      numbers_of(attempts_.await(key, [](const auto& record) { return numbers_of(record.out).size() == 2; }).out);
  executor().stop(key, Stop::terminate);

  EXPECT_EQ(await_end(key).end.outcome, AttemptOutcome::cancelled);
  EXPECT_THAT(pids, Each(testing::ResultOf(is_there, false)));
}

TEST_F(OtherUsers, a_server_without_the_right_to_it_says_so) {
  const int answer = as_nobody([this] {
    CommandAction action = command({"/bin/true"});
    action.user = "root";
    const Performed performed = perform(action);
    executor_.reset();
    return performed.end.error == "cannot become user \"root\": Operation not permitted" &&
                   performed.end.outcome == AttemptOutcome::failed
               ? 0
               : 1;
  });

  EXPECT_EQ(answer, 0);
}

TEST_F(OtherUsers, a_server_may_name_its_own_user) {
  const int answer = as_nobody([this] {
    CommandAction action = command({"/bin/true"});
    action.user = "nobody";
    const Performed performed = perform(action);
    executor_.reset();
    return performed.end.outcome == AttemptOutcome::succeeded ? 0 : 1;
  });

  EXPECT_EQ(answer, 0);
}

TEST_F(OtherUsers, a_limit_that_may_not_be_raised_is_a_failure) {
  const int answer = as_nobody([this] {
    const rlimit low{100, 100};
    ::setrlimit(RLIMIT_NOFILE, &low);
    CommandAction action = command({"/bin/true"});
    action.limits = {{"nofile", 200}};
    const Performed performed = perform(action);
    executor_.reset();
    return performed.end.error == "cannot set the limit nofile: Operation not permitted" ? 0 : 1;
  });

  EXPECT_EQ(answer, 0);
}

}  // namespace
}  // namespace carillon
