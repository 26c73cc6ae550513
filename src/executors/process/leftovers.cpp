#include "executors/process/leftovers.hpp"

#include "executors/process/proc_files.hpp"

#include <chrono>
#include <csignal>
#include <thread>

namespace carillon {
namespace {

// Who starts others while we look, or is becoming another program, is found in a later round.
constexpr int round_count_max = 1000;
constexpr std::chrono::milliseconds between_rounds{1};

/// Whether to look again.
bool end_marked_once(const std::set<LaunchTag>& marks) {
  bool is_unfinished = false;
  for (const pid_t pid : all_processes()) {
    const auto facts = read_facts(pid);
    const TagProbe reading = probe_tag(pid);
    if (!reading.is_settled) is_unfinished = true;
    if (!facts || !reading.tag || !marks.contains(*reading.tag)) continue;
    is_unfinished = true;
    signal_if_same(pid, facts->start_ticks, SIGKILL);
  }
  return is_unfinished;
}

}  // namespace

void end_marked(const std::set<LaunchTag>& marks) {
  if (marks.empty()) return;
  for (int round = 0; round < round_count_max && end_marked_once(marks); ++round)
    std::this_thread::sleep_for(between_rounds);
}

}  // namespace carillon
