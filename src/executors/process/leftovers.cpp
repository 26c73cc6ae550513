#include "executors/process/leftovers.hpp"

#include "executors/process/proc_files.hpp"

#include <csignal>

namespace carillon {
namespace {

// Who starts others while we look is found in the next round.
constexpr int round_count_max = 20;

bool end_marked_once(const std::set<Mark>& marks) {
  bool has_found = false;
  for (const pid_t pid : all_processes()) {
    const auto facts = read_facts(pid);
    const auto mark = read_mark(pid);
    if (!facts || !mark || !marks.contains(*mark)) continue;
    has_found = true;
    signal_if_same(pid, facts->start_ticks, SIGKILL);
  }
  return has_found;
}

}  // namespace

void end_marked(const std::set<Mark>& marks) {
  if (marks.empty()) return;
  for (int round = 0; round < round_count_max && end_marked_once(marks); ++round) continue;
}

}  // namespace carillon
