// One run of a pipeline over many rows against a provider that answers at once. Prints one JSON object: how fast it
// went, the most memory that it had, how often it waited for the disk.
//
//     pipeline_bench ITEMS FOLDER [PARALLEL]

#include "executors/pipeline/http_provider.hpp"
#include "executors/pipeline/pipeline_runner.hpp"
#include "pipeline/loopback_provider.hpp"
#include "runtime/system_clock.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

namespace {

std::atomic<long> sync_count = 0;

}  // namespace

/// Stands before that of the C library, for this program alone.
extern "C" int fdatasync(int file) {
  ++sync_count;
  return static_cast<int>(::syscall(SYS_fdatasync, file));
}

namespace carillon::bench {
namespace {

namespace fs = std::filesystem;

void write_package(const fs::path& package, long items, long parallel) {
  fs::create_directories(package);
  std::ofstream rows{package / "rows.csv"};
  rows << "id,title,text\n";
  for (long i = 0; i < items; ++i)
    rows << fmt::format("{0},Row number {0},\"A text, of about a hundred characters, that is asked about: {0}\"\n", i);
  std::ofstream{package / "pipeline.yaml"} << fmt::format(
      "name: bench\ninput: {{from: {{type: csv, path: rows.csv}}}}\nmap:\n  prompt: \"Grade {{{{title}}}}: "
      "{{{{text}}}}\"\n  output: [grade, reason]\n  parallel: {}\nreduce: {{type: csv}}\n",
      parallel);
}

/// `VmHWM` or `VmRSS`, in megabytes.
double memory(const std::string& name) {
  std::ifstream status{"/proc/self/status"};
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(name + ":")) return std::strtod(line.c_str() + name.size() + 1, nullptr) / 1024;
  return 0;
}

double cpu_seconds() {
  rusage use{};
  ::getrusage(RUSAGE_SELF, &use);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(use.ru_utime) + seconds(use.ru_stime);
}

int measure(long items, const fs::path& folder, long parallel) {
  const LoopbackProvider service;
  write_package(folder / "pipelines/bench", items, parallel);
  fs::create_directories(folder / "journals");
  SystemClock clock;
  pipeline::Providers providers{clock};
  providers.add("loopback", {.model = "m", .limits = {.concurrency = parallel}},
                std::make_unique<pipeline::HttpProvider>(
                    clock, pipeline::HttpProviderOptions{
                               .url = fmt::format("http://127.0.0.1:{}/v1/chat/completions", service.port())}));
  const pipeline::PipelineRunner runner{clock, providers};
  const double before = memory("VmRSS");
  const auto began = std::chrono::steady_clock::now();
  const pipeline::RunReport report =
      runner.perform({.package = {.folder = folder / "pipelines", .package = "bench", .workspace = {}},
                      .run = "bench",
                      .journal = folder / "journals/bench.journal"},
                     {}, {});
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  if (!report.outcome.is_success() || report.outcome.items.succeeded != static_cast<std::size_t>(items)) {
    std::fprintf(stderr, "pipeline_bench: %s\n", report.outcome.error.c_str());
    return 1;
  }
  fmt::print(
      "{{\"items\": {}, \"seconds\": {:.3f}, \"itemsPerSecond\": {:.0f}, \"cpuSeconds\": {:.3f}, \"megabytesBefore\": "
      "{:.1f}, \"megabytesMost\": {:.1f}, \"syncs\": {}, \"syncsPer5ms\": {:.3f}}}\n",
      items, seconds, static_cast<double>(items) / seconds, cpu_seconds(), before, memory("VmHWM"), sync_count.load(),
      static_cast<double>(sync_count) * 0.005 / seconds);
  return 0;
}

}  // namespace
}  // namespace carillon::bench

int main(int count, char** words) {
  if (count < 3) {
    std::fprintf(stderr, "usage: pipeline_bench ITEMS FOLDER [PARALLEL]\n");
    return 2;
  }
  return carillon::bench::measure(std::atol(words[1]), words[2], count > 3 ? std::atol(words[3]) : 50);
}
