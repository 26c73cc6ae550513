#include "fleet.hpp"
#include "measurements.hpp"
#include "meter.hpp"
#include "runtime/system_clock.hpp"
#include "server/server.hpp"
#include "zones/system_zone_source.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <thread>

namespace carillon::bench {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t in_flight = 16;
constexpr std::size_t round_count = 5;

/// Counts ends that the worker has heard of; they are durable a little later.
class CountingLog final : public Log {
 public:
  void write(LogLevel level, std::string_view event, std::initializer_list<LogField>) override {
    if (event == "run succeeded") ++succeeded_;
    if (level == LogLevel::error) fmt::print(stderr, "{}\n", event);
  }
  [[nodiscard]] std::size_t succeeded() const { return succeeded_; }

 private:
  std::atomic<std::size_t> succeeded_ = 0;
};

struct Ledger {
  Seq newest{};
  std::size_t ended = 0;  // runs, after the seq it was read from
};

Ledger read_after(ScheduleStore& store, Seq after) {
  Ledger ledger{.newest = after};
  while (true) {
    const auto records = must(store.read_ledger(ledger.newest, 10'000));
    if (records.empty()) return ledger;
    ledger.newest = seq_of(records.back());
    for (const LedgerRecord& record : records)
      if (const auto* line = std::get_if<DecisionLine>(&record)) ledger.ended += line->ended_at.has_value();
  }
}

class CommandServer {
 public:
  CommandServer(const Options& options, std::size_t worker_count)
      : server_{must(Server::open({.data = fresh(options.folder / "server"), .worker_count = worker_count}, clock_,
                                  zones_, log_))} {
    server_->start();
  }

  /// Commands per second, from the instant at which all are due until the last end is durable.
  double round(std::size_t count) {
    const Instant due = std::chrono::ceil<std::chrono::seconds>(clock_.now() + 1500ms);
    const std::size_t before = log_.succeeded();
    make_fleet(
        server_->ports().schedules, zones_,
        {.count = count, .created_at = clock_.now(), .prefix = fmt::format("r{}-", ++round_), .spec = [&](std::size_t) {
           return daily_from(due);
         }});
    seen_ = read_after(server_->ports().schedules, seen_).newest;
    while (log_.succeeded() < before + count) std::this_thread::sleep_for(1ms);
    while (read_after(server_->ports().schedules, seen_).ended < count) std::this_thread::sleep_for(1ms);
    return static_cast<double>(count) / std::chrono::duration<double>(clock_.now() - due).count();
  }

 private:
  static std::filesystem::path fresh(const std::filesystem::path& folder) {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder.parent_path());
    return folder;
  }

  SystemClock clock_;
  SystemZoneSource zones_;
  CountingLog log_;
  std::unique_ptr<Server> server_;
  Seq seen_{};
  int round_ = 0;
};

/// Processes per second of a loop that promises nothing.
double spawn_bare(std::size_t count, std::size_t at_a_time) {
  std::string program{"/bin/true"};
  char* arguments[] = {program.data(), nullptr};
  const auto begun = std::chrono::steady_clock::now();
  std::size_t running = 0;
  for (std::size_t i = 0; i < count; ++i, ++running) {
    if (running == at_a_time) {
      ::wait(nullptr);
      --running;
    }
    pid_t pid = 0;
    if (::posix_spawn(&pid, program.c_str(), nullptr, nullptr, arguments, environ) != 0) std::abort();
  }
  for (; running > 0; --running) ::wait(nullptr);
  return static_cast<double>(count) / seconds_since(begun);
}

}  // namespace

void measure_commands(const Options& options) {
  const std::size_t at_a_time = options.capacity.value_or(in_flight);
  CommandServer server{options, at_a_time};
  std::vector<double> ours;
  std::vector<double> bare;
  std::vector<double> shares;
  // In turn, because the machine is never quiet.
  for (std::size_t i = 0; i < options.rounds.value_or(round_count); ++i) {
    bare.push_back(spawn_bare(options.commands, at_a_time));
    ours.push_back(server.round(options.commands));
    shares.push_back(ours.back() / bare.back());
  }
  print_line({{"what", options.what},
              {"commands", options.commands},
              {"at_a_time", at_a_time},
              {"per_second", number(quantile(ours, 0.5))},
              {"bare_per_second", number(quantile(bare, 0.5))},
              {"share", number(quantile(shares, 0.5))}});
}

}  // namespace carillon::bench
