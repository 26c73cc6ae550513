#include "stand_in.hpp"

#include <fmt/core.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>

namespace carillon::store_rows {

Transition decide(const DueState& state, bool counts_open_runs) {
  Transition transition{.uid = state.uid, .version = state.version, .revision = state.revision, .body = state.body};
  // A finish may have woken the schedule before its time; the cursor, not the wake-up, says what is due.
  const std::int64_t nominal = state.cursor + period;
  transition.cursor = nominal;
  transition.last_seq = state.last_seq;
  transition.wake_at = nominal + period;
  for (const LiveRow& run : state.live) {
    if (run.state >= succeeded || counts_open_runs) {
      transition.counted.push_back(run.seq);
    } else {
      ++transition.kept_count;
    }
  }
  transition.rows.push_back({.nominal = nominal, .due = nominal, .rank = nominal});
  return transition;
}

std::vector<NewSchedule> new_schedules(std::int64_t count, std::int64_t from, std::int64_t spread, Order order) {
  std::vector<std::int64_t> place(static_cast<std::size_t>(count));
  std::iota(place.begin(), place.end(), 0);
  if (order == Order::scattered) std::shuffle(place.begin(), place.end(), std::mt19937_64{7});
  std::vector<NewSchedule> schedules;
  schedules.reserve(place.size());
  for (std::int64_t uid = 1; uid <= count; ++uid) {
    schedules.push_back({uid, from + spread * place[static_cast<std::size_t>(uid - 1)] / count});
  }
  return schedules;
}

std::string state_body(std::int64_t seed) {
  std::string body(40, '\0');
  for (std::size_t i = 0; i < body.size(); ++i) {
    body[i] = static_cast<char>(static_cast<std::uint64_t>(seed) * 2654435761U >> (i % 24));
  }
  return body;
}

std::int64_t wall_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

double process_cpu() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto microseconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_usec);
  };
  return microseconds(usage.ru_utime) + microseconds(usage.ru_stime);
}

void report(const std::string& store, const std::string& what, const std::string& variant, double count, double seconds,
            double cpu_microseconds, const std::string& note) {
  fmt::print(
      R"({{"store":"{}","what":"{}","variant":"{}","count":{:.0f},"seconds":{:.3f},"per_second":{:.0f},"cpu_us":{:.2f},"note":"{}"}})"
      "\n",
      store, what, variant, count, seconds, count / seconds, cpu_microseconds / std::max(count, 1.0), note);
  std::fflush(stdout);
}

void die(const std::string& what) {
  fmt::print(stderr, "{}\n", what);
  std::exit(1);
}

}  // namespace carillon::store_rows
