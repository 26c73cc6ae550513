#pragma once

#include "executors/process/launcher.hpp"
#include "executors/process/process_executor.hpp"
#include "executors/process/system_calls.hpp"
#include "ports/clock.hpp"
#include "ports/executor.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <poll.h>
#include <signal.h>
#include <sys/types.h>

#include <charconv>
#include <chrono>
#include <condition_variable>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace carillon {

/// How long a test waits for something that will come.
inline constexpr std::chrono::seconds patience{60};

/// The clocks of this machine.
class MachineClock final : public Clock {
 public:
  [[nodiscard]] Instant now() override {
    return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
  }
  [[nodiscard]] Duration since_boot() override { return boot_now(); }
};

/// Keeps what it is told, and lets others wait for it.
class RecordedAttempts final : public AttemptEvents {
 public:
  struct Record {
    bool is_launched = false;
    std::string out;
    std::string error;
    std::size_t byte_count = 0;
    std::vector<AttemptEnd> ends;
    bool is_in_order = true;  // launched, output, ended
  };

  /// Only counts output from now on.
  void keep_no_output() { keeps_output_ = false; }

  void launched(const AttemptKey& key) override {
    change(key, [](Record& record) {
      record.is_in_order = record.is_in_order && record.byte_count == 0 && record.ends.empty();
      record.is_launched = true;
    });
  }
  void output(const AttemptKey& key, OutputStream stream, std::string_view bytes) override {
    change(key, [&](Record& record) {
      record.is_in_order = record.is_in_order && record.is_launched && record.ends.empty();
      record.byte_count += bytes.size();
      if (keeps_output_) (stream == OutputStream::out ? record.out : record.error) += bytes;
    });
  }
  void ended(const AttemptKey& key, AttemptEnd end) override {
    change(key, [&](Record& record) { record.ends.push_back(std::move(end)); });
  }

  /// The record as soon as the condition holds for it; as it is if that takes too long, which fails the test.
  template <typename Condition>
  Record await(const AttemptKey& key, Condition condition) {
    std::unique_lock lock{mutex_};
    EXPECT_TRUE(changed_.wait_for(lock, patience, [&] { return condition(records_[key]); })) << records_[key].out;
    return records_[key];
  }
  Record await_end(const AttemptKey& key) {
    return await(key, [](const Record& record) { return !record.ends.empty(); });
  }
  Record await_output(const AttemptKey& key, std::string_view text) {
    return await(key, [&](const Record& record) { return record.out.contains(text); });
  }

 private:
  template <typename Change>
  void change(const AttemptKey& key, Change apply) {
    const std::lock_guard lock{mutex_};
    apply(records_[key]);
    changed_.notify_all();
  }

  bool keeps_output_ = true;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<AttemptKey, Record> records_;
};

/// How an attempt went.
struct Performed {
  AttemptEnd end;
  std::string out;
  std::string error;
  bool is_launched = false;
};

[[nodiscard]] inline CommandAction command(std::vector<std::string> argv) {
  CommandAction action;
  action.argv = std::move(argv);
  return action;
}

/// A command line that a shell reads.
[[nodiscard]] inline CommandAction script(std::string text) {
  CommandAction action = command({std::move(text)});
  action.shell = true;
  return action;
}

/// Part of a script: waits until a file is there.
[[nodiscard]] inline std::string until_there(const std::filesystem::path& file) {
  return "until [ -e " + file.native() + " ]; do sleep 0.01; done";
}

/// The same for what somebody writes: that the file is there does not mean that anything stands in it.
[[nodiscard]] inline std::string until_written(const std::filesystem::path& file) {
  return "until [ -s " + file.native() + " ]; do sleep 0.01; done";
}

/// Part of a script: a process that says its number, and then becomes another program over and
/// over again. Bears no mark for a part of the time.
[[nodiscard]] inline std::string restless(const TemporaryFolder& folder) {
  const std::string file = (folder.path() / "restless").native();
  folder.write("restless", "[ $1 ] || echo $$; exec sh " + file + " again\n");
  return "sh " + file;
}

/// Whether a process has ended, or does before our patience.
[[nodiscard]] inline bool is_gone_soon(const FileDescriptor& process) {
  if (!process.is_open()) return true;
  pollfd end{.fd = process.get(), .events = POLLIN, .revents = 0};
  return ::poll(&end, 1, static_cast<int>(std::chrono::milliseconds{patience}.count())) == 1;
}

[[nodiscard]] inline bool is_there(pid_t pid) { return ::kill(pid, 0) == 0; }

/// The numbers in a text, as scripts print those of processes.
[[nodiscard]] inline std::vector<pid_t> numbers_of(const std::string& text) {
  std::istringstream words{text};
  std::vector<pid_t> numbers;
  for (std::string word; words >> word;) {
    pid_t number = 0;
    if (std::from_chars(word.data(), word.data() + word.size(), number).ec == std::errc{}) numbers.push_back(number);
  }
  return numbers;
}

[[nodiscard]] inline std::string text_of_file(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream{file}.rdbuf();
  return text.str();
}

/// An executor with a launcher of its own.
class CommandTest : public testing::Test {
 protected:
  /// Begins with a short grace: few tests want to wait for it.
  void begin(LauncherOptions launcher = {.grace = std::chrono::milliseconds{100}}, ProcessOptions options = {},
             DetachedWork detached = {}) {
    auto started = start_launcher(launcher);
    ASSERT_TRUE(started) << started.error().message;
    launcher_pid_ = started->pid();
    hiding_ = started->hiding();
    executor_ = std::make_unique<ProcessExecutor>(clock_, attempts_, *std::move(started), std::move(options),
                                                  std::move(detached));
  }
  void begin(ProcessOptions options) { begin({.grace = std::chrono::milliseconds{100}}, std::move(options)); }

  ProcessExecutor& executor() {
    if (!executor_) begin();
    return *executor_;
  }

  [[nodiscard]] Assignment assignment(CommandAction action) {
    const AttemptKey key{.run = Seq{++run_count_}, .attempt = 1};
    Envelope envelope;
    envelope.name_space = "default";
    envelope.schedule_id = "nightly";
    envelope.schedule_name = "Nightly";
    envelope.run_id = std::to_string(::getpid()) + "-" + std::to_string(run_count_);
    envelope.run_name = "nightly:" + envelope.run_id;
    envelope.attempt = key.attempt;
    envelope.payload = "{}";
    return {.key = key,
            .action = std::move(action),
            .envelope = std::move(envelope),
            .launch_before = boot_now() + std::chrono::hours{1}};
  }

  AttemptKey launch(CommandAction action) { return launch(assignment(std::move(action))); }
  AttemptKey launch(Assignment assignment) {
    const AttemptKey key = assignment.key;
    executor().launch(std::move(assignment));
    return key;
  }

  Performed await_end(const AttemptKey& key) {
    RecordedAttempts::Record record = attempts_.await_end(key);
    EXPECT_TRUE(record.is_in_order);
    EXPECT_EQ(record.ends.size(), 1U);
    if (record.ends.empty()) return {};
    return {.end = std::move(record.ends.front()),
            .out = std::move(record.out),
            .error = std::move(record.error),
            .is_launched = record.is_launched};
  }
  template <typename What>
  Performed perform(What what) {
    return await_end(launch(std::move(what)));
  }

  TemporaryFolder folder_;
  MachineClock clock_;
  RecordedAttempts attempts_;
  std::unique_ptr<ProcessExecutor> executor_;
  pid_t launcher_pid_ = 0;
  Hiding hiding_{};
  std::int64_t run_count_ = 0;
};

}  // namespace carillon
