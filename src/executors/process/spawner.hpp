#pragma once

#include "base/instant.hpp"
#include "executors/process/control_groups.hpp"
#include "executors/process/file_descriptor.hpp"
#include "executors/process/messages.hpp"
#include "executors/process/spawn.hpp"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace carillon {

struct SpawnOrder {
  LaunchRequest request;
  FileDescriptor input;  // closed: nothing to read
  FileDescriptor output;
  FileDescriptor error;
};

/// What became of an order.
struct SpawnReport {
  enum class Kind { started, too_late, failed };
  LaunchId id{};
  Kind kind = Kind::failed;
  pid_t pid = -1;  // to be waited for, if there is one
  FileDescriptor process;
  Duration begun{};  // no process of this launch is older
  Mark mark;
  std::string error;
};

/// Starts programs one by one on a thread of its own: whoever commands it stays free to end others, even if a file
/// system lets a start hang. All programs are children of this thread, and orphans are not; so they can be told apart.
class Spawner {
 public:
  Spawner(const rlimit& file_limit, const ControlGroups& groups);
  Spawner(const Spawner&) = delete;
  Spawner& operator=(const Spawner&) = delete;

  /// Readable when there are reports.
  [[nodiscard]] int event() const { return event_.get(); }

  void order(SpawnOrder order);
  /// Takes an order back; false if it has been begun.
  [[nodiscard]] bool withdraw(LaunchId id);
  [[nodiscard]] std::vector<SpawnReport> take_reports();

  /// Nothing is started after this moment, whatever the orders say.
  void set_lease(Duration until) { lease_ = until.count(); }
  /// Nothing is started any more; orders not begun are forgotten.
  void close();

  /// Whether nothing is under way and all has been reported.
  [[nodiscard]] bool is_idle();
  /// The time before which nothing began that has not been reported yet; none if all has.
  [[nodiscard]] std::optional<Duration> oldest_unreported();
  /// Ends a child that is still on its way to become a program, if there is one.
  void end_child_on_its_way();

 private:
  void run(const std::stop_token& stop);
  [[nodiscard]] SpawnReport carry_out(SpawnOrder order, Duration begun);

  rlimit file_limit_;
  const ControlGroups& groups_;
  FileDescriptor nothing_;  // reads as empty
  FileDescriptor event_;
  Spawning spawning_;
  std::atomic<Duration::rep> lease_{Duration::max().count()};

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<SpawnOrder> orders_;
  std::vector<SpawnReport> reports_;
  std::optional<Duration> current_begun_;
  bool is_closed_ = false;

  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace carillon
