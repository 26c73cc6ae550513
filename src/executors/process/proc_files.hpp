#pragma once

#include "executors/process/program.hpp"

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace carillon {

/// What the system says about a process.
struct ProcessFacts {
  pid_t group = 0;
  pid_t session = 0;
  std::uint64_t start_ticks = 0;  // since boot, in ticks of sysconf(_SC_CLK_TCK)
};

// Each answers with nothing if there is no such process (any more).

[[nodiscard]] std::optional<ProcessFacts> read_facts(pid_t pid);

/// Which attempt a process was started for, by the environment it was started with.
struct TagProbe {
  std::optional<LaunchTag> tag;
  bool is_settled = true;  // false while it becomes another program: the old environment is shed, the new one not there
};
[[nodiscard]] TagProbe probe_tag(pid_t pid);

/// The text of its /proc/…/cgroup.
[[nodiscard]] std::string read_cgroup(pid_t pid);

/// Children of one thread. Complete if it is a thread of this process and nobody waits for children meanwhile.
[[nodiscard]] std::optional<std::vector<pid_t>> children_of_thread(pid_t pid, pid_t thread);

/// All that descends from a process and can be seen now, at most `count_max`.
[[nodiscard]] std::vector<pid_t> descendants_of(pid_t pid, std::size_t count_max);

/// All processes of the machine.
[[nodiscard]] std::vector<pid_t> all_processes();

/// Sends a signal to a process if it is still the one that began then.
void signal_if_same(pid_t pid, std::uint64_t start_ticks, int signal);

}  // namespace carillon
