#pragma once

#include "base/instant.hpp"
#include "definitions/action.hpp"
#include "ports/clock.hpp"
#include "ports/executor.hpp"

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace carillon::pipeline {

/// A program and how long it may take.
struct ProgramRequest {
  CommandAction command;
  TextMap secrets{};  // what the references of the command stand for; hidden in all that comes back
  Duration timeout{};
  Duration grace = std::chrono::seconds{2};  // between being asked to end and being ended by force
  std::size_t output_size_max = 4 * 1024 * 1024;
};

/// What became of a program.
struct ProgramEnd {
  enum class How {
    exited,       // with `code`
    signalled,    // by signal `code`
    not_started,  // and would not be the next time either
    lost,         // through no fault of its own: no resources, no launcher, no right to run it any more
    timed_out,
    cancelled,
    wrote_too_much,
  };
  How how = How::lost;
  std::int64_t code = 0;
  std::string output{};
  std::string error_output{};  // the end of it
  std::string error{};         // for people, of not_started and lost
};

/// Runs programs to their end through an executor of commands, whose rules they come under: no new privileges, nothing
/// left behind, none that outlives this process.
///
/// An executor tells one receiver of all its attempts, so this stands between the executor and the receiver of others,
/// and knows its own by their numbers, which are negative. May be used from several threads.
class LaunchedPrograms final : public AttemptEvents {
 public:
  explicit LaunchedPrograms(Clock& clock);

  /// What is told to this of attempts that are not its own is passed on. Before the executor is made; returns itself.
  [[nodiscard]] LaunchedPrograms& passing_on_to(AttemptEvents& others);
  /// The executor that tells this its events. Before the first run.
  void use(Executor& commands) { commands_ = &commands; }

  /// Waits until the program has ended and nothing is left of it.
  [[nodiscard]] ProgramEnd run(const ProgramRequest& request, const std::stop_token& stop);

  void launched(const AttemptKey& key) override;
  void output(const AttemptKey& key, OutputStream stream, std::string_view bytes) override;
  void ended(const AttemptKey& key, AttemptEnd end) override;

 private:
  /// Shared by the thread that waits and the executor's: who waits may give up first.
  struct Launch {
    explicit Launch(std::size_t size_max) : output_size_max{size_max} {}

    const std::size_t output_size_max;
    std::mutex mutex{};
    std::condition_variable_any changed{};
    // Guarded.
    std::string output{};
    std::string error_output{};
    bool is_too_large = false;
    std::optional<AttemptEnd> end{};
  };

  [[nodiscard]] AttemptKey launch(const ProgramRequest& request, Duration deadline,
                                  const std::shared_ptr<Launch>& launch);
  [[nodiscard]] ProgramEnd ended_early(const ProgramRequest& request, const AttemptKey& key, Launch& launch,
                                       std::unique_lock<std::mutex>& lock, const std::stop_token& stop);
  [[nodiscard]] static ProgramEnd end_of(Launch& launch);
  void end_by_force(const AttemptKey& key, Launch& launch, Duration grace, std::unique_lock<std::mutex>& lock);
  [[nodiscard]] std::shared_ptr<Launch> find(const AttemptKey& key);

  Clock& clock_;
  AttemptEvents* others_ = nullptr;
  Executor* commands_ = nullptr;
  const std::string tag_;  // tells its programs from those of all other processes
  std::atomic<std::int64_t> last_number_ = 0;

  std::mutex mutex_;
  std::map<AttemptKey, std::shared_ptr<Launch>> launches_;  // guarded
};

}  // namespace carillon::pipeline
