#pragma once

#include "base/instant.hpp"
#include "executors/process/control_groups.hpp"
#include "executors/process/messages.hpp"
#include "executors/process/program.hpp"

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>

namespace carillon {

/// Which processes belong to which launch, also those that have left its group and session.
///
/// A process whose parent ends becomes a child of the launcher: an orphan. To which launch an orphan belongs is told by
/// its control group where there are such; by descent, if the launch was signalled while the line was whole; by its
/// session; by the mark in its environment. An orphan that has shed all of these is a stray: it is ended when every
/// launch that is old enough to have started it is over.
///
/// For the first thread of the launcher, whose children orphans become. That it alone waits for them keeps their
/// numbers from being given to others.
class ProcessTracker {
 public:
  explicit ProcessTracker(const ControlGroups& groups);

  void add(LaunchId id, pid_t program, const LaunchTag& tag);
  /// The program itself has been waited for.
  void program_ended(LaunchId id);
  void remove(LaunchId id);

  /// Lets go of orphans that have ended, and looks who has become one.
  void refresh();
  [[nodiscard]] bool has_orphans() const { return !orphans_.empty(); }
  /// True also while it is not known whose an orphan is.
  [[nodiscard]] bool has_orphans_of(LaunchId id) const;
  /// Whether to look again in a moment: somebody is becoming another program, and bears no mark meanwhile.
  [[nodiscard]] bool is_unsure() const { return unsure_since_.has_value(); }

  /// Asks the program's group to end.
  void ask_program(LaunchId id) const;
  /// Asks orphans of the launch that have not been asked before.
  void ask_orphans(LaunchId id);
  /// Ends, by force, all that belongs to a launch.
  void end(LaunchId id);
  /// Ends strays that nothing begun at `oldest` or later can have started.
  void end_strays(Duration oldest);
  /// When nothing is under supervision and nothing is being started: ends whoever is still there, by whatever way it
  /// came to be; false if there is nobody.
  [[nodiscard]] bool end_everyone();

 private:
  struct Member {
    pid_t program = 0;
    bool has_ended = false;
    LaunchTag tag;
  };
  struct Orphan {
    LaunchId owner = LaunchId::none;
    std::uint64_t start_ticks = 0;
    bool is_asked = false;
  };
  struct Relative {
    LaunchId owner{};
    std::uint64_t start_ticks = 0;
  };

  /// False if it cannot be told yet whose it is.
  [[nodiscard]] bool classify_orphan(pid_t pid);
  /// Nothing while it cannot be told.
  [[nodiscard]] std::optional<LaunchId> owner_of(pid_t pid, pid_t session, std::uint64_t start_ticks) const;
  void note_descendants(LaunchId id, pid_t pid);

  const ControlGroups& groups_;
  pid_t self_;
  std::map<LaunchId, Member> members_;
  std::map<pid_t, LaunchId> sessions_;
  std::map<LaunchTag, LaunchId> tags_;
  std::map<pid_t, Orphan> orphans_;
  std::map<pid_t, Relative> relatives_;
  std::optional<Duration> unsure_since_;
};

}  // namespace carillon
