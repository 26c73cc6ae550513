// A run is killed at each of its steps in turn (a write, a sync, a rename), before it or in the middle of its bytes,
// and then performed again. With CARILLON_TEST_EVERY_WRITE=1 at every step of a long run, else at some of them.

#include "executors/pipeline/journal_line.hpp"
#include "executors/pipeline/pipeline_runner.hpp"
#include "executors/pipeline/question_test.hpp"
#include "support/manual_clock.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

// Of the process that is to die.
std::atomic<long> steps_left = 0;  // 0: it lives
bool is_torn = false;              // half of the last write reaches the file

bool is_last_step() { return steps_left > 0 && --steps_left == 0; }
void note_step() {
  if (is_last_step()) ::raise(SIGKILL);
}

}  // namespace

// These stand before those of the C library, for this program alone. Nothing waits for the disk: a process that dies
// leaves behind what it has written.
extern "C" ssize_t write(int file, const void* bytes, size_t size) {
  if (is_last_step()) {
    if (is_torn) (void)!::syscall(SYS_write, file, bytes, size / 2);
    ::raise(SIGKILL);
  }
  return ::syscall(SYS_write, file, bytes, size);
}
extern "C" int fsync(int) {
  note_step();
  return 0;
}
extern "C" int fdatasync(int) {
  note_step();
  return 0;
}
extern "C" int rename(const char* from, const char* to) noexcept {
  note_step();
  return static_cast<int>(::syscall(SYS_rename, from, to));
}
extern "C" int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) noexcept {
  note_step();
  return static_cast<int>(::syscall(SYS_renameat2, from_folder, from, to_folder, to, flags));
}

namespace carillon::pipeline {
namespace {

namespace json = boost::json;

std::string whole_file(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream{file, std::ios::binary}.rdbuf();
  return text.str();
}

/// Answers, and writes down what it was asked in a file that outlives its process.
class RecordingProvider final : public Provider {
 public:
  explicit RecordingProvider(const std::filesystem::path& file)
      : file_{::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)} {}
  ~RecordingProvider() override { ::close(file_); }

  ProviderResult ask(const Question& question, Duration, const std::stop_token&) override {
    const std::string line = question.prompt + "\n";
    (void)!::syscall(SYS_write, file_, line.data(), line.size());
    return ProviderAnswer{.text = "re " + question.prompt, .usage = {.input_tokens = 1, .output_tokens = 1}};
  }

 private:
  int file_;
};

/// A package with so many rows, and what attempts leave behind.
class KilledRun {
 public:
  explicit KilledRun(int row_count) : row_count_{row_count} {
    std::string rows = "n\n";
    for (int i = 0; i < row_count; ++i) rows += std::to_string(i) + "\n";
    folder_.write("pipelines/pkg/in.csv", rows);
    folder_.write("pipelines/pkg/pipeline.yaml",
                  "name: p\ninput: {from: {type: csv, path: in.csv}}\nmap: {prompt: 'row {{n}}', parallel: 50}\n"
                  "reduce: {type: json}\n");
    folder_.write("journals/keep", "");
  }

  /// Performs an attempt in a process of its own that is killed at its n-th step; 0: it is not. False if it was
  /// killed.
  bool perform(long kill_at, bool torn) {
    const pid_t child = ::fork();
    if (child == 0) {
      is_torn = torn;
      steps_left = kill_at;
      ::_exit(attempt() ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    return !WIFSIGNALED(status);
  }

  [[nodiscard]] std::map<std::string, int> asked() const {
    std::map<std::string, int> counts;
    std::ifstream file{folder_.path() / "asked"};
    for (std::string line; std::getline(file, line);) ++counts[line];
    return counts;
  }

  /// The questions whose answers are in the journal.
  [[nodiscard]] std::set<std::string> answered() const {
    std::map<QuestionKey, std::string> prompts;
    QuestionKeys keys;
    for (int i = 0; i < row_count_; ++i) {
      const std::string prompt = "row " + std::to_string(i);
      prompts.emplace(keys.key_of("p", a_question(prompt)), prompt);
    }
    std::set<std::string> found;
    std::ifstream file{journal()};
    for (std::string line; std::getline(file, line);) {
      const auto record = parse_line(line);
      if (!record) continue;
      if (const auto* answer = std::get_if<AnsweredRecord>(&*record)) found.insert(prompts.at(answer->key));
    }
    return found;
  }

  /// The newest result byte by byte, but for the usage, which tells how often it was killed.
  [[nodiscard]] std::string result() const {
    std::filesystem::path newest;
    for (const auto& entry : std::filesystem::directory_iterator{folder_.path() / "pipelines/pkg/.results"})
      if (entry.path().extension() == ".json") newest = std::max(newest, entry.path());
    std::string bytes = whole_file(newest);
    EXPECT_TRUE(json::parse(bytes).is_object());
    const std::size_t usage = bytes.find("\"usage\"");
    return bytes.erase(usage, bytes.find('}', usage) - usage);
  }

 private:
  [[nodiscard]] std::filesystem::path journal() const { return folder_.path() / "journals/r.journal"; }

  [[nodiscard]] bool attempt() const {
    ManualClock clock;
    Providers providers{clock};
    providers.add("p", {}, std::make_unique<RecordingProvider>(folder_.path() / "asked"));
    const PipelineRunner runner{clock, providers};
    const RunReport report =
        runner.perform({.package = {.folder = folder_.path() / "pipelines", .package = "pkg", .workspace = {}},
                        .run = "r",
                        .journal = journal()},
                       {}, {});
    return report.outcome.is_success();
  }

  int row_count_;
  TemporaryFolder folder_;
};

std::string undisturbed_result(int row_count) {
  KilledRun run{row_count};
  EXPECT_TRUE(run.perform(0, false));
  return run.result();
}

/// Kills a run at its n-th step and goes on with it. False if it has fewer steps.
bool survives_a_kill(int row_count, long kill_at, bool torn, const std::string& expected) {
  KilledRun run{row_count};
  if (run.perform(kill_at, torn)) return false;
  const std::set<std::string> paid = run.answered();

  EXPECT_TRUE(run.perform(0, false)) << "killed at step " << kill_at;

  EXPECT_EQ(run.result(), expected) << "killed at step " << kill_at;
  const auto counts = run.asked();
  EXPECT_EQ(counts.size(), static_cast<std::size_t>(row_count));
  for (const auto& [prompt, count] : counts)
    EXPECT_LE(count, paid.contains(prompt) ? 1 : 2) << prompt << ", killed at step " << kill_at;
  return true;
}

/// Returns how many steps were killed at.
long kill_all_along(int row_count, long stride, const std::vector<bool>& how) {
  const std::string expected = undisturbed_result(row_count);
  long kills = 0;
  for (const bool torn : how)
    for (long kill_at = 1; survives_a_kill(row_count, kill_at, torn, expected); kill_at += stride) ++kills;
  return kills;
}

TEST(AKilledRun, is_finished_with_the_same_result_and_no_answer_is_paid_twice) {
  EXPECT_GT(kill_all_along(12, 1, {false, true}), 2 * 2 * 12);
}

TEST(AKilledRun, of_many_rows_loses_no_answer_either) {
  const char* every = std::getenv("CARILLON_TEST_EVERY_WRITE");
  const bool is_whole = every != nullptr && *every != '\0';

  const long kills = is_whole ? kill_all_along(200, 1, {false, true}) : kill_all_along(200, 13, {true});

  std::cout << "killed " << kills << " times\n";
  EXPECT_GE(kills, is_whole ? 2 * 2 * 200 : 40);
}

}  // namespace
}  // namespace carillon::pipeline
