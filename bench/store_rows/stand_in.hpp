#pragma once

#include "rows.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace carillon::store_rows {

inline constexpr std::int64_t second = 1'000'000;
inline constexpr std::int64_t period = 60 * second;

/// What a decider would say: start one run, count the runs that ended, wake a period later. `counts_open_runs` is for
/// measuring starts alone: runs that nobody finishes are counted as if they had ended, so that rows do not pile up.
[[nodiscard]] Transition decide(const DueState& state, bool counts_open_runs);

enum class Order { scattered, phase };

struct NewSchedule {
  std::int64_t uid;
  std::int64_t wake_at;
};

/// `count` schedules due within [from, from + spread), in the order of their uids. Scattered: uid and time have nothing
/// to do with each other. Phase: neighbours in uid are neighbours in time.
[[nodiscard]] std::vector<NewSchedule> new_schedules(std::int64_t count, std::int64_t from, std::int64_t spread,
                                                     Order order);

/// As many bytes as counters, flags and last results take as varints.
[[nodiscard]] std::string state_body(std::int64_t seed);

[[nodiscard]] std::int64_t wall_now();

/// CPU time of this process, in microseconds.
[[nodiscard]] double process_cpu();

/// One line of JSON per measurement, for the script that makes the table.
void report(const std::string& store, const std::string& what, const std::string& variant, double count, double seconds,
            double cpu_microseconds, const std::string& note = {});

[[noreturn]] void die(const std::string& what);

}  // namespace carillon::store_rows
