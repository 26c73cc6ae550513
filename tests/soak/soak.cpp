#include "soak/soak.hpp"

#include "support/test_zones.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <thread>
#include <utility>

namespace carillon::testing {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t seconds_per_hour = 3'600;
constexpr std::chrono::seconds patience{60};
/// For what has been performed but not yet written down.
constexpr std::chrono::milliseconds rest{300};
constexpr double growth_max = 0.05;
constexpr double mebibyte = 1024.0 * 1024.0;

RuntimeOptions runtime_options() {
  return {.worker = {.session = {.name = "soak", .queues = {"@command"}, .capacity = 64}}, .decider = {}};
}

void print(const char* what, const Sample& sample) {
  const Vitals& vitals = sample.vitals;
  fmt::print("{:10} {:6.2f} {:9} {:8.2f} {:9.2f} {:10.2f} {:10.2f} {:5} {:8} {:9.1f} {:7.1f} {:9.0f}\n", what,
             static_cast<double>(sample.second) / seconds_per_hour, sample.run_count,
             static_cast<double>(vitals.resident) / mebibyte, static_cast<double>(vitals.anonymous) / mebibyte,
             static_cast<double>(vitals.allocated) / mebibyte, static_cast<double>(vitals.sqlite) / mebibyte,
             vitals.files, vitals.threads, static_cast<double>(sample.database) / mebibyte,
             static_cast<double>(sample.log) / mebibyte,
             static_cast<double>(sample.database) / static_cast<double>(std::max<std::int64_t>(sample.run_count, 1)));
  std::fflush(stdout);
}

/// Many look at the ledger at the same time: how many connections the store has is then not a matter of chance.
void read_in_a_crowd(SqliteStore& store) {
  constexpr std::size_t line_count = 200;
  std::vector<std::jthread> crowd(8);
  for (std::jthread& reader : crowd)
    reader = std::jthread{[&store] {
      for (int i = 0; i < 200; ++i) (void)store.read_ledger(Seq{}, line_count);
    }};
}

double mean_resident(std::span<const Sample> samples) {
  const auto sum = std::accumulate(samples.begin(), samples.end(), 0.0, [](double total, const Sample& sample) {
    return total + static_cast<double>(sample.vitals.resident);
  });
  return sum / static_cast<double>(samples.size());
}

/// Compares the halves: one sample goes up and down by several MiB with what malloc has not given back.
bool is_steady(const char* what, std::span<const Sample> samples) {
  const std::size_t half = samples.size() / 2;
  const Sample& before = samples.front();
  const Sample& after = samples.back();
  const double growth = mean_resident(samples.last(half)) / mean_resident(samples.first(half)) - 1;
  const bool is_so =
      growth < growth_max && before.vitals.files == after.vitals.files && before.vitals.threads == after.vitals.threads;
  fmt::print("{}: memory {:+.2f} %, files {:+}, threads {:+}: {}\n", what, growth * 100,
             after.vitals.files - before.vitals.files, after.vitals.threads - before.vitals.threads,
             is_so ? "steady" : "NOT STEADY");
  const auto outside = [](const Vitals& vitals) {
    return static_cast<double>(vitals.allocated - vitals.sqlite) / mebibyte;
  };
  fmt::print("  allocated outside SQLite: {:.2f} MiB, then {:.2f} MiB\n", outside(before.vitals),
             outside(after.vitals));
  return is_so;
}

}  // namespace

Soak::Server::Server(std::unique_ptr<SqliteStore> opened_store, std::unique_ptr<FileLogStore> opened_logs, Soak& soak)
    : store{std::move(opened_store)},
      logs{std::move(opened_logs)},
      attempts{soak.clock_,
               soak.log_,
               {.logs = logs.get(), .observer = &soak.run_log_, .store_time = StoreTime::Source::own_clock}},
      executor{attempts, beacon_id},
      runtime{{.store = store->ports(),
               .zones = soak.zones_,
               .clock = soak.clock_,
               .log = soak.log_,
               .attempts = attempts,
               .executors = {{ActionKind::command, executor}},
               .logs = logs.get()},
              runtime_options()} {}

Soak::Server::~Server() { runtime.stop(); }

Soak::Soak(const SoakOptions& options)
    : options_{options},
      clock_{at("2027-03-01T09:00:00Z"), 1h},
      log_file_{::open((options.folder / "server.log").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)},
      log_{clock_, log_file_, StreamLog::Form::json, LogLevel::warn},
      run_log_{log_},
      users_{options.starts_per_second - 2, options.edit_period} {}

Result<> Soak::start() {
  auto store = TRY(SqliteStore::open(options_.folder / "carillon.db", clock_));
  TRY(store->end_all_sessions());
  auto logs = TRY(FileLogStore::open(options_.folder / "logs"));
  server_ = std::make_unique<Server>(std::move(store), std::move(logs), *this);
  TRY(server_->runtime.commands().adopt_zone_rules());
  server_->runtime.start();
  return {};
}

void Soak::stop() {
  server_->runtime.stop();
  earlier_runs_ += server_->executor.ended_count();
  server_.reset();
}

Result<> Soak::pass_second() {
  ++second_;
  clock_.advance(1s);
  TRY(users_.act(server_->runtime.commands(), second_, clock_.now()));
  if (!server_->executor.await(clock_.now(), patience))
    return fail(ErrorCode::unavailable, "nothing has run at {} for {} s", to_text(clock_.now()), patience.count());
  return {};
}

Sample Soak::sample() {
  read_in_a_crowd(*server_->store);
  server_->executor.await_rest();
  std::this_thread::sleep_for(rest);
  return {.second = second_,
          .run_count = earlier_runs_ + server_->executor.ended_count(),
          .vitals = read_vitals(),
          .database = size_of(options_.folder / "carillon.db"),
          .log = size_of(options_.folder / "carillon.db-wal")};
}

Result<> Soak::pass_hours() {
  for (std::int64_t hour = 1; hour <= options_.hours; ++hour) {
    while (second_ < hour * seconds_per_hour) TRY(pass_second());
    hours_.push_back(sample());
    print("hour", hours_.back());
  }
  return {};
}

Result<> Soak::restart_often() {
  constexpr int seconds_each = 60;
  for (int number = 0; number < options_.restart_count; ++number) {
    stop();
    TRY(start());
    for (int second = 0; second < seconds_each; ++second) TRY(pass_second());
    restarts_.push_back(sample());
    if (number % 5 == 0 || number + 1 == options_.restart_count) print("restart", restarts_.back());
  }
  return {};
}

// The first quarter of the hours fills the store's cache, which has a bound. Of the restarts the first two are left
// out: they exchange what the hours have left.
bool Soak::judge() const {
  bool is_good = true;
  const std::span<const Sample> hours{hours_};
  const std::span<const Sample> restarts{restarts_};
  if (hours.size() >= 4) is_good &= is_steady("hours", hours.subspan(hours.size() / 4));
  if (restarts.size() >= 4) is_good &= is_steady("restarts", restarts.subspan(2));
  return is_good;
}

Result<bool> Soak::run() {
  fmt::print("{:10} {:>6} {:>9} {:>8} {:>9} {:>10} {:>10} {:>5} {:>8} {:>9} {:>7} {:>9}\n", "", "hour", "runs",
             "rss MiB", "anon MiB", "alloc MiB", "sqlite MiB", "files", "threads", "db MiB", "wal MiB", "bytes/run");
  TRY(start());
  TRY(users_.create_all(server_->runtime.commands()));
  TRY(pass_hours());
  TRY(restart_often());
  TRY(server_->store->check_integrity());
  stop();
  for (const auto& [what, count] : users_.granted()) fmt::print("{} {}, ", what, count);
  for (const auto& [what, count] : users_.refused()) fmt::print("{} refused {}, ", what, count);
  fmt::print("database in order\n");
  return judge();
}

}  // namespace carillon::testing
