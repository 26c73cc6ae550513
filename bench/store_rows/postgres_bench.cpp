// The statements on a PostgreSQL server. usage: store_rows_postgres CONNECTION [schedules] [seconds per case]
//
// Every connection is a thread that plays a server: read_due, decide, commit, and where the case says so claim and
// finish. Each case is measured in turns with all others in between. CPU counts this process and its backends.
// CONNECTION names a database that may be emptied and a user who may create others.

#include "checks.hpp"
#include "postgres_rows.hpp"
#include "stand_in.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace carillon::store_rows {
namespace {

constexpr std::int64_t day = 86400 * second;

struct Options {
  std::string where;
  std::int64_t schedule_count = 100'000;
  double seconds = 4;
};

enum class Mode { starts, whole, separate_claim };

using Servers = std::vector<std::unique_ptr<PostgresRows>>;

Servers connect(const Options& options, Layout layout, std::int64_t count, Share::Kind kind, bool has_shares) {
  Servers servers;
  for (std::int64_t i = 0; i < count; ++i) {
    const Share share{.kind = kind, .server_count = has_shares ? count : 1, .me = has_shares ? i : 0};
    servers.push_back(std::make_unique<PostgresRows>(options.where, layout, share));
    servers.back()->add_worker(i + 1, wall_now() + day);
  }
  return servers;
}

/// User and system time of a process, in microseconds.
double cpu_of(int process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  std::string text((std::istreambuf_iterator<char>(file)), {});
  std::size_t at = text.rfind(')');
  for (int field = 0; field < 12; ++field) at = text.find(' ', at + 1);
  const char* place = text.c_str() + at;
  char* end = nullptr;
  const double user = std::strtod(place, &end);
  const double system = std::strtod(end, nullptr);
  return (user + system) * 1e6 / static_cast<double>(sysconf(_SC_CLK_TCK));
}

double cpu_of(const Servers& servers) {
  double cpu = process_cpu();
  for (const auto& server : servers) cpu += cpu_of(server->connection().backend());
  return cpu;
}

std::vector<Transition> decide_all(const std::vector<DueState>& due, bool counts_open_runs) {
  std::vector<Transition> transitions;
  transitions.reserve(due.size());
  for (const DueState& state : due) transitions.push_back(decide(state, counts_open_runs));
  return transitions;
}

std::int64_t one_batch(PostgresRows& rows, std::int64_t session, Mode mode, std::int64_t batch) {
  const std::vector<Transition> transitions = decide_all(rows.read_due(batch), mode == Mode::starts);
  CommitOutcome outcome = rows.commit(transitions, {session, mode == Mode::whole ? batch : 0});
  if (mode == Mode::starts) return outcome.written_count;
  if (mode == Mode::separate_claim) outcome.claimed = rows.claim(session, 0, batch);
  std::vector<Finish> items;
  items.reserve(outcome.claimed.size());
  for (const ClaimResult& run : outcome.claimed) items.push_back({.run = run});
  return rows.finish(session, items);
}

/// A database with one layout, used in one way by up to three servers.
struct Group {
  Mode mode;
  Layout layout;
  Servers servers{};
};

struct Case {
  std::string name;
  Group* group;
  std::int64_t connections;
  std::int64_t batch = 500;
  double count = 0;
  double seconds = 0;
  double cpu = 0;
};

Group new_group(const Options& options, Mode mode, Layout layout) {
  const std::string name = fmt::format("rows_{}_{}", static_cast<int>(mode), static_cast<int>(layout));
  PostgresConnection connection(options.where);
  connection.execute("SET client_min_messages = warning");
  connection.execute("DROP DATABASE IF EXISTS " + name);
  connection.execute("CREATE DATABASE " + name);
  Options there = options;
  there.where += " dbname=" + name;
  create_rows(there.where, layout, new_schedules(options.schedule_count, wall_now() - day, period, Order::scattered));
  Group group{mode, layout, connect(there, layout, 3, Share::Kind::own_first, true)};
  // Once around, so that every schedule has a run behind it; then plans and statistics as in a system that is up.
  for (std::int64_t i = 0, warm = 0; warm < options.schedule_count; ++i) {
    warm += one_batch(*group.servers[static_cast<std::size_t>(i % 3)], i % 3 + 1, mode, 1000);
  }
  group.servers[0]->execute("VACUUM ANALYZE");
  return group;
}

void measure_for(double length, Case& of) {
  Servers& servers = of.group->servers;
  for (std::int64_t i = 0; i < of.connections; ++i) {
    servers[static_cast<std::size_t>(i)]->set_share({.server_count = of.connections, .me = i});
  }
  std::atomic<std::int64_t> count{0};
  const double cpu = cpu_of(servers);
  const auto begun = std::chrono::steady_clock::now();
  const auto until = begun + std::chrono::duration<double>(length);
  {
    std::vector<std::jthread> threads;
    for (std::int64_t i = 0; i < of.connections; ++i) {
      threads.emplace_back([&, i] {
        PostgresRows& rows = *servers[static_cast<std::size_t>(i)];
        while (std::chrono::steady_clock::now() < until) count += one_batch(rows, i + 1, of.group->mode, of.batch);
      });
    }
  }
  of.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  of.cpu += cpu_of(servers) - cpu;
  of.count += static_cast<double>(count.load());
}

void measure_rates(const Options& options) {
  std::vector<std::unique_ptr<Group>> groups;
  std::vector<Case> cases;
  for (const Mode mode : {Mode::starts, Mode::whole, Mode::separate_claim}) {
    const auto add = [&](const std::string& name, Layout layout, std::vector<std::int64_t> connections) {
      groups.push_back(std::make_unique<Group>(new_group(options, mode, layout)));
      for (const std::int64_t count : connections) {
        cases.push_back(
            {fmt::format("{} connection{}{}", count, count > 1 ? "s" : "", name), groups.back().get(), count});
      }
    };
    add("", Layout::wake_column, {1, 2, 3});
    if (mode == Mode::separate_claim) continue;
    cases.push_back({"2 connections, batch 1000", groups.back().get(), 2, 1000});
    add(", wake table", Layout::wake_table, {1, 2});
    add(", live rows until counted", Layout::live_rows, {1, 2});
  }
  PostgresConnection(options.where).execute("CHECKPOINT");
  const int turns = static_cast<int>(options.seconds);
  for (int turn = 0; turn < turns; ++turn) {
    for (Case& one : cases) measure_for(1, one);
  }
  for (const Case& one : cases) {
    const Mode mode = one.group->mode;
    const char* what = mode == Mode::starts  ? "starts"
                       : mode == Mode::whole ? "whole runs"
                                             : "whole runs, separate claim";
    report("postgres", what, one.name, one.count, one.seconds, one.cpu);
  }
}

/// All schedules become due within `spread` from now on; three servers take them as they come, for at most `limit`.
void measure_sharing(const Options& options, const std::string& what, const std::string& name, std::int64_t connections,
                     Share::Kind kind, bool has_shares, std::int64_t spread, std::int64_t limit) {
  const std::int64_t first_due = wall_now() + 4 * second;
  create_rows(options.where, Layout::wake_column,
              new_schedules(options.schedule_count, first_due, spread, Order::scattered));
  Servers servers = connect(options, Layout::wake_column, connections, kind, has_shares);
  while (wall_now() < first_due) std::this_thread::sleep_for(std::chrono::milliseconds{1});
  std::atomic<std::int64_t> written{0};
  std::atomic<std::int64_t> refused{0};
  const double cpu = cpu_of(servers);
  {
    std::vector<std::jthread> threads;
    for (std::int64_t i = 0; i < connections; ++i) {
      threads.emplace_back([&, i] {
        PostgresRows& rows = *servers[static_cast<std::size_t>(i)];
        while (written < options.schedule_count && wall_now() < first_due + limit) {
          const std::vector<DueState> due = rows.read_due(500);
          if (due.empty()) {
            std::this_thread::sleep_for(std::chrono::milliseconds{2});
            continue;
          }
          const CommitOutcome outcome = rows.commit(decide_all(due, true), {});
          written += outcome.written_count;
          refused += outcome.refused_count;
        }
      });
    }
  }
  const double seconds = static_cast<double>(wall_now() - first_due) / 1e6;
  const double used = cpu_of(servers) - cpu;
  std::int64_t deadlocks = 0;
  for (const auto& server : servers) deadlocks += server->deadlock_count();
  const double share = 100.0 * static_cast<double>(refused) / static_cast<double>(refused + written);
  report("postgres", what, name, static_cast<double>(written), seconds, used,
         fmt::format("{:.1f} % refused, {} deadlocks", share, deadlocks));
}

void measure_sharing(const Options& options) {
  using enum Share::Kind;
  const char* burst = "burst";
  measure_sharing(options, burst, "1 connection", 1, own_first, true, second, 20 * second);
  measure_sharing(options, burst, "2 connections, own share first", 2, own_first, true, second, 20 * second);
  measure_sharing(options, burst, "3 connections, own share first", 3, own_first, true, second, 20 * second);
  measure_sharing(options, burst, "3 connections, share or overdue", 3, mixed, true, second, 20 * second);
  measure_sharing(options, burst, "3 connections, no shares", 3, own_first, false, second, 20 * second);
  const char* paced = "10,000 due per second";
  measure_sharing(options, paced, "3 connections, own share first", 3, own_first, true, 10 * second, 3 * second);
  measure_sharing(options, paced, "3 connections, share or overdue", 3, mixed, true, 10 * second, 3 * second);
  measure_sharing(options, paced, "3 connections, no shares", 3, own_first, false, 10 * second, 3 * second);
}

void measure_heartbeat(const Options& options) {
  create_rows(options.where, Layout::wake_column,
              new_schedules(options.schedule_count, wall_now() - day, period, Order::scattered));
  Servers servers = connect(options, Layout::wake_column, 1, Share::Kind::own_first, true);
  PostgresRows& rows = *servers[0];
  const auto timed = [&](const std::string& name, int count, auto&& action) {
    const double cpu = cpu_of(servers);
    const auto begun = std::chrono::steady_clock::now();
    for (int i = 0; i < count; ++i) action();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    report("postgres", "heartbeats", name, count, seconds, cpu_of(servers) - cpu);
  };
  const CommitOutcome outcome = rows.commit(decide_all(rows.read_due(1000), false), {1, 1000});
  timed("1,000 runs, all newly launched", 1, [&] { (void)rows.heartbeat(1, outcome.claimed); });
  timed("1,000 runs, none newly launched", 500, [&] { (void)rows.heartbeat(1, {}); });
  rows.add_worker(1, wall_now() - 1);
  timed("1,000 runs of a lost session found", 1, [&] { (void)rows.lost_runs(); });
}

void check(const Options& options) {
  for (const Layout layout : {Layout::wake_column, Layout::wake_table}) {
    create_rows(options.where, layout, new_schedules(10, wall_now() - day, period, Order::scattered));
    PostgresRows rows(options.where, layout, {});
    Checks{rows}.run();
  }
}

}  // namespace
}  // namespace carillon::store_rows

int main(int argc, char** argv) {
  using namespace carillon::store_rows;
  if (argc < 2) die("usage: store_rows_postgres CONNECTION [schedules] [seconds per case]");
  Options options{.where = argv[1]};
  if (argc > 2) options.schedule_count = std::stoll(argv[2]);
  if (argc > 3) options.seconds = std::stod(argv[3]);
  check(options);
  measure_heartbeat(options);
  measure_sharing(options);
  measure_rates(options);
}
