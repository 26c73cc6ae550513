#include "executors/process/process_tracker.hpp"

#include "executors/process/proc_files.hpp"
#include "executors/process/system_calls.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <set>
#include <vector>

namespace carillon {
namespace {

// Beyond this a launch is a flood of processes; what is not seen in one look is seen in the next.
constexpr std::size_t descendant_count_max = 10'000;

// Becoming another program takes well under a millisecond, unless a file system hangs.
constexpr Duration unsure_max = std::chrono::seconds{1};

/// The latest moment at which a process with these ticks can have begun.
Duration begun_before(std::uint64_t start_ticks) {
  static const auto ticks_per_second = static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
  return Duration{static_cast<Duration::rep>((start_ticks + 1) * 1'000'000 / ticks_per_second)};
}

/// To everyone in a group. The numbers 0 and 1 would mean other things than groups.
void signal_group(pid_t group, int signal) {
  if (group > 1) ::kill(-group, signal);
}

/// A stopped process hears of its end only when it goes on.
void ask_group(pid_t group) {
  signal_group(group, SIGTERM);
  signal_group(group, SIGCONT);
}

}  // namespace

ProcessTracker::ProcessTracker(const ControlGroups& groups) : groups_{groups}, self_{::getpid()} {}

void ProcessTracker::add(LaunchId id, pid_t program, const LaunchTag& tag) {
  members_.insert_or_assign(id, Member{.program = program, .has_ended = false, .tag = tag});
  sessions_.insert_or_assign(program, id);
  if (!tag.run.empty()) tags_.insert_or_assign(tag, id);
  // A program may have ended before we hear that it has begun: whoever seemed to be nobody's is looked at again.
  std::erase_if(orphans_, [](const auto& entry) { return entry.second.owner == LaunchId::none; });
}

void ProcessTracker::program_ended(LaunchId id) {
  Member& member = members_.at(id);
  member.has_ended = true;
  // The number of a session stays taken while somebody is in it; then it may come to mean another one.
  const bool is_in_use = std::ranges::any_of(
      orphans_, [&](const auto& entry) { return entry.second.owner == id && ::getsid(entry.first) == member.program; });
  if (!is_in_use) std::erase_if(sessions_, [&](const auto& entry) { return entry.second == id; });
}

void ProcessTracker::remove(LaunchId id) {
  const auto is_of_launch = [&](const auto& entry) { return entry.second == id; };
  std::erase_if(sessions_, is_of_launch);
  std::erase_if(tags_, is_of_launch);
  std::erase_if(relatives_, [&](const auto& entry) { return entry.second.owner == id; });
  members_.erase(id);
}

void ProcessTracker::refresh() {
  pid_t ended = 0;
  while ((ended = ::waitpid(-1, nullptr, WNOHANG | __WNOTHREAD)) > 0) orphans_.erase(ended);
  if (ended < 0) {
    orphans_.clear();
    unsure_since_.reset();
    return;
  }
  const auto children = children_of_thread(self_, self_);
  if (!children) return;
  bool is_sure = true;
  for (const pid_t pid : *children) {
    if (!orphans_.contains(pid)) is_sure = classify_orphan(pid) && is_sure;
  }
  if (is_sure)
    unsure_since_.reset();
  else if (!unsure_since_)
    unsure_since_ = boot_now();
}

bool ProcessTracker::classify_orphan(pid_t pid) {
  const auto facts = read_facts(pid);
  if (!facts) return true;
  const auto owner = owner_of(pid, facts->session, facts->start_ticks);
  const bool is_waiting_over = unsure_since_ && boot_now() > *unsure_since_ + unsure_max;
  if (!owner && !is_waiting_over) return false;
  orphans_.emplace(
      pid, Orphan{.owner = owner.value_or(LaunchId::none), .start_ticks = facts->start_ticks, .is_asked = false});
  return true;
}

std::optional<LaunchId> ProcessTracker::owner_of(pid_t pid, pid_t session, std::uint64_t start_ticks) const {
  if (const auto id = groups_.launch_in(read_cgroup(pid)); id && members_.contains(*id)) return *id;
  const auto relative = relatives_.find(pid);
  if (relative != relatives_.end() && relative->second.start_ticks == start_ticks) return relative->second.owner;
  if (const auto found = sessions_.find(session); found != sessions_.end()) return found->second;
  const TagProbe reading = probe_tag(pid);
  if (!reading.is_settled) return std::nullopt;
  const auto found = reading.tag ? tags_.find(*reading.tag) : tags_.end();
  return found != tags_.end() ? found->second : LaunchId::none;
}

bool ProcessTracker::has_orphans_of(LaunchId id) const {
  return is_unsure() || std::ranges::any_of(orphans_, [&](const auto& entry) { return entry.second.owner == id; });
}

void ProcessTracker::ask_program(LaunchId id) const {
  const Member& member = members_.at(id);
  if (!member.has_ended) ask_group(member.program);
}

void ProcessTracker::ask_orphans(LaunchId id) {
  std::set<pid_t> groups;
  for (auto& [pid, orphan] : orphans_) {
    if (orphan.owner != id || orphan.is_asked) continue;
    orphan.is_asked = true;
    // Its group is the launch's own, since no group reaches beyond a session; and it is there while the orphan is.
    if (const auto facts = read_facts(pid)) groups.insert(facts->group);
  }
  for (const pid_t group : groups) ask_group(group);
}

void ProcessTracker::note_descendants(LaunchId id, pid_t pid) {
  for (const pid_t descendant : descendants_of(pid, descendant_count_max)) {
    if (const auto facts = read_facts(descendant))
      relatives_.insert_or_assign(descendant, Relative{.owner = id, .start_ticks = facts->start_ticks});
  }
}

void ProcessTracker::end(LaunchId id) {
  // Noted while the lines of descent are whole: the first death breaks them.
  const Member& member = members_.at(id);
  if (!member.has_ended) note_descendants(id, member.program);
  for (const auto& [pid, orphan] : orphans_) {
    if (orphan.owner == id) note_descendants(id, pid);
  }

  groups_.end(id);
  if (!member.has_ended) signal_group(member.program, SIGKILL);
  for (const auto& [pid, orphan] : orphans_) {
    if (orphan.owner != id) continue;
    if (const auto facts = read_facts(pid)) signal_group(facts->group, SIGKILL);
  }
  for (const auto& [pid, relative] : relatives_) {
    if (relative.owner == id) signal_if_same(pid, relative.start_ticks, SIGKILL);
  }
}

void ProcessTracker::end_strays(Duration oldest) {
  for (const auto& [pid, orphan] : orphans_) {
    if (orphan.owner == LaunchId::none && begun_before(orphan.start_ticks) <= oldest) ::kill(pid, SIGKILL);
  }
}

bool ProcessTracker::end_everyone() {
  pid_t ended = 0;
  while ((ended = ::waitpid(-1, nullptr, WNOHANG)) > 0) orphans_.erase(ended);
  if (ended < 0) return false;
  for (const pid_t pid : descendants_of(self_, descendant_count_max)) {
    if (const auto facts = read_facts(pid)) signal_if_same(pid, facts->start_ticks, SIGKILL);
  }
  return true;
}

}  // namespace carillon
