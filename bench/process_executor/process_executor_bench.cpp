// What the launcher, the guard and live output cost: /bin/true through the executor, beside a bare loop of posix_spawn
// and waitpid that has as many in flight and promises nothing.
//
//   process_executor_bench [launches per round] [in flight] [rounds]
//
// The two take turns, because the machine is never quiet; the ratio is that of the medians.

#include "executors/process/control_groups.hpp"
#include "executors/process/launcher.hpp"
#include "executors/process/process_executor.hpp"
#include "executors/process/system_calls.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <semaphore>
#include <string>
#include <vector>

namespace carillon {
namespace {

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
    if (end.kind != AttemptEnd::Kind::succeeded) std::exit(1);
    free_.release();
  }
  void take() { free_.acquire(); }
  void give_back() { free_.release(); }

 private:
  std::counting_semaphore<> free_;
};

struct Load {
  int launch_count = 2000;
  int in_flight = 16;
  int round_count = 7;
};

template <typename Work>
double per_second(const Load& load, Work work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return load.launch_count / std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

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
    if (::posix_spawn(&pid, program.c_str(), nullptr, nullptr, arguments, environ) != 0) std::exit(1);
  }
  while (running-- > 0) ::wait(nullptr);
}

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

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

int run(const Load& load) {
  auto plain_launcher = start_launcher();
  auto grouped_launcher = start_launcher({.control_group = own_control_group().value_or("")});
  if (!plain_launcher) return 1;
  Bench plain{load, *std::move(plain_launcher)};
  std::optional<Bench> grouped;
  if (grouped_launcher && own_control_group()) grouped.emplace(load, *std::move(grouped_launcher));

  std::vector<double> bare_rates;
  std::vector<double> plain_rates;
  std::vector<double> grouped_rates;
  for (int round = 0; round < load.round_count; ++round) {
    bare_rates.push_back(per_second(load, [&] { spawn_bare(load); }));
    plain_rates.push_back(per_second(load, [&] { plain.run(); }));
    if (grouped) grouped_rates.push_back(per_second(load, [&] { grouped->run(); }));
  }
  const double bare = median(bare_rates);
  fmt::print("{} launches of /bin/true, {} in flight, median of {} rounds\n", load.launch_count, load.in_flight,
             load.round_count);
  fmt::print("posix_spawn loop          {:6.0f}/s\n", bare);
  fmt::print("executor                  {:6.0f}/s  {:3.0f} %\n", median(plain_rates), 100 * median(plain_rates) / bare);
  if (!grouped) return 0;
  fmt::print("executor, control groups  {:6.0f}/s  {:3.0f} %\n", median(grouped_rates),
             100 * median(grouped_rates) / bare);
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
