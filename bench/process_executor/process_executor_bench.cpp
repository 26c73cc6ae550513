// What the launcher, the guard and live output cost: /bin/true through the executor, beside a bare loop of posix_spawn
// and wait that has as many in flight and promises nothing.
//
//   process_executor_bench [launches per round] [in flight] [rounds]
//
// They take turns, because the machine is never quiet; ratios are those of medians. CPU time is that of everybody who
// takes part, /bin/true included: on a busy machine it says more than the rate.

#include "executors/process/control_groups.hpp"
#include "executors/process/launcher.hpp"
#include "executors/process/process_executor.hpp"
#include "executors/process/system_calls.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <semaphore>
#include <string>
#include <utility>
#include <vector>

namespace carillon {
namespace {

struct Load {
  int launch_count = 2000;
  int in_flight = 16;
  int round_count = 7;
};

class MachineClock final : public Clock {
 public:
  [[nodiscard]] Instant now() override {
    return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
  }
  [[nodiscard]] Duration since_boot() override { return boot_now(); }
};

/// Gives a place back for each attempt that has ended.
class Places final : public AttemptEvents {
 public:
  explicit Places(int count) : free_{count} {}
  void launched(const AttemptKey& /*key*/) override {}
  void output(const AttemptKey& /*key*/, OutputStream /*stream*/, std::string_view /*bytes*/) override {}
  void ended(const AttemptKey& /*key*/, AttemptEnd end) override {
    if (end.outcome != AttemptOutcome::succeeded) std::abort();
    free_.release();
  }
  void take() { free_.acquire(); }
  void give_back() { free_.release(); }

 private:
  std::counting_semaphore<> free_;
};

class Bench {
 public:
  Bench(const Load& load, Launcher launcher)
      : load_{load}, places_{load.in_flight}, executor_{clock_, places_, std::move(launcher)} {}

  void run() {
    for (int i = 0; i < load_.launch_count; ++i) {
      places_.take();
      executor_.launch(next());
    }
    for (int i = 0; i < load_.in_flight; ++i) places_.take();
    for (int i = 0; i < load_.in_flight; ++i) places_.give_back();
  }

 private:
  Assignment next() {
    CommandAction command;
    command.argv = {"/bin/true"};
    Envelope envelope;
    envelope.run_id = std::to_string(++count_);
    return {.key = {.run = Seq{count_}, .attempt = 1},
            .action = std::move(command),
            .envelope = std::move(envelope),
            .launch_before = boot_now() + std::chrono::hours{1}};
  }

  Load load_;
  MachineClock clock_;
  Places places_;
  ProcessExecutor executor_;
  std::int64_t count_ = 0;
};

void spawn_bare(const Load& load) {
  std::string program{"/bin/true"};
  char* arguments[] = {program.data(), nullptr};
  int running = 0;
  for (int i = 0; i < load.launch_count; ++i, ++running) {
    if (running == load.in_flight) {
      ::wait(nullptr);
      --running;
    }
    pid_t pid = 0;
    if (::posix_spawn(&pid, program.c_str(), nullptr, nullptr, arguments, environ) != 0) std::abort();
  }
  while (running-- > 0) ::wait(nullptr);
}

/// CPU seconds spent so far by this process and its children, and by a launcher and its children.
double cpu_seconds(pid_t launcher) {
  double seconds = 0;
  for (const auto who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    ::getrusage(who, &usage);
    seconds += static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
               static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
  }
  if (launcher == 0) return seconds;
  std::ifstream stat{fmt::format("/proc/{}/stat", launcher)};
  std::string field;
  for (int number = 1; number <= 17 && stat >> field; ++number) {
    if (number >= 14) seconds += std::stod(field) / static_cast<double>(::sysconf(_SC_CLK_TCK));
  }
  return seconds;
}

/// What the rounds of one way of launching gave.
class Measured {
 public:
  explicit Measured(pid_t launcher = 0) : launcher_{launcher} {}

  template <typename Work>
  void round(const Load& load, Work work) {
    const double cpu_before = cpu_seconds(launcher_);
    const auto begin = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
    rates_.push_back(load.launch_count / time.count());
    costs_.push_back((cpu_seconds(launcher_) - cpu_before) * 1e6 / load.launch_count);
  }

  void print(const char* name, const Measured& bare) const {
    fmt::print("{:<25} {:6.0f}/s {:4.0f} %   {:6.0f} us CPU {:4.0f} %\n", name, median(rates_),
               100 * median(rates_) / median(bare.rates_), median(costs_), 100 * median(costs_) / median(bare.costs_));
  }

 private:
  static double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
  }

  pid_t launcher_;
  std::vector<double> rates_;
  std::vector<double> costs_;
};

int run(const Load& load) {
  auto plain_launcher = start_launcher();
  if (!plain_launcher) return 1;
  const auto group = own_control_group();
  auto grouped_launcher = start_launcher({.control_group = group.value_or("")});
  const bool has_groups = group && grouped_launcher;

  Measured bare_measured;
  Measured plain_measured{plain_launcher->pid()};
  Measured grouped_measured{has_groups ? grouped_launcher->pid() : 0};
  Bench plain{load, *std::move(plain_launcher)};
  std::optional<Bench> grouped;
  if (has_groups) grouped.emplace(load, *std::move(grouped_launcher));
  for (int round = 0; round < load.round_count; ++round) {
    bare_measured.round(load, [&] { spawn_bare(load); });
    plain_measured.round(load, [&] { plain.run(); });
    if (grouped) grouped_measured.round(load, [&] { grouped->run(); });
  }

  fmt::print("{} launches of /bin/true, {} in flight, median of {} rounds\n", load.launch_count, load.in_flight,
             load.round_count);
  bare_measured.print("posix_spawn loop", bare_measured);
  plain_measured.print("executor", bare_measured);
  if (grouped) grouped_measured.print("executor, control groups", bare_measured);
  return 0;
}

}  // namespace
}  // namespace carillon

int main(int argc, char** argv) {
  carillon::Load load;
  if (argc > 1) load.launch_count = std::atoi(argv[1]);
  if (argc > 2) load.in_flight = std::atoi(argv[2]);
  if (argc > 3) load.round_count = std::atoi(argv[3]);
  return carillon::run(load);
}
