#pragma once

#include "base/instant.hpp"
#include "base/loop_monitor.hpp"
#include "executors/pipeline/pipeline_runner.hpp"
#include "ports/clock.hpp"
#include "ports/executor.hpp"
#include "ports/item_store.hpp"
#include "ports/run_progress.hpp"

#include <condition_variable>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace carillon {

struct PipelineOptions {
  std::filesystem::path folder{};     // of pipelines; paths of actions are relative to it
  std::filesystem::path workspace{};  // of skills; empty: what holds the folder
  std::filesystem::path journals{};   // a folder of the server's own, made when it is needed
  LoopMonitor* loops = nullptr;       // watches the thread that ends attempts whose right is over
  /// Hears how far attempts are, each no more than four times a second and at its end, from their threads.
  std::function<void(const Assignment&, const pipeline::RunProgress&)> on_progress{};
};

/// Performs pipelines: one thread for each attempt, which has more of its own for its questions.
///
/// What a run was answered stays in a journal that all of its attempts share, and is removed when a success without
/// failed items has been recorded, or when it is 30 days old and a server starts. A run that begins with the answers of
/// another one asks only for the rest. The formatted output is the attempt's output; its progress, one line every few
/// seconds, goes to the other stream. The result tells counts, usage and the result file, of failed attempts too.
/// stop() ends questions under way, however it is asked, and keeps what has been answered. An attempt whose right to
/// run is over ends as lost.
///
/// Items are read from the attempt under way, else from the result file.
class PipelineExecutor final : public Executor, public ItemStore {
 public:
  /// The runner outlives this.
  PipelineExecutor(Clock& clock, AttemptEvents& events, const pipeline::PipelineRunner& runner,
                   PipelineOptions options);
  PipelineExecutor(const PipelineExecutor&) = delete;
  PipelineExecutor& operator=(const PipelineExecutor&) = delete;
  /// Ends what is under way and waits for it; nobody is told any more.
  ~PipelineExecutor() override;

  void launch(Assignment assignment) override;
  void stop(const AttemptKey& key, Stop how) override;
  void extend_until(Duration since_boot) override;
  void recorded(const AttemptKey& key) override;

  [[nodiscard]] Result<ItemPage> read_items(const ItemsOwner& owner, const ItemQuery& query) override;
  [[nodiscard]] bool has_answers(const std::string& run_id) override;

 private:
  struct Running {
    std::stop_source stop{};
    bool is_over_time = false;  // its right to run is over
    std::jthread thread{};      // last: it uses the others
  };

  void perform(const AttemptKey& key, const Assignment& assignment, const std::stop_token& stop);
  [[nodiscard]] AttemptEnd attempt(const AttemptKey& key, const Assignment& assignment, const std::stop_token& stop);
  /// The journal is there, and has what another run was answered, if that is wanted.
  [[nodiscard]] Result<> begin_journal(const Envelope& envelope) const;
  [[nodiscard]] std::filesystem::path journal_of(const std::string& run) const;
  [[nodiscard]] std::optional<pipeline::ResultSpool> results_of(Seq run);
  void end(const AttemptKey& key, AttemptEnd end);
  void watch(const std::stop_token& token, const LoopMonitor::Pulse& pulse);

  Clock& clock_;
  AttemptEvents& events_;
  const pipeline::PipelineRunner& runner_;
  const PipelineOptions options_;

  std::mutex mutex_;
  std::condition_variable_any changed_;
  // Guarded.
  std::map<AttemptKey, Running> running_;
  std::map<AttemptKey, std::filesystem::path> succeeded_;  // journals to be removed
  std::map<AttemptKey, pipeline::ResultSpool> results_;    // of attempts whose end is not in the store yet
  std::vector<std::jthread> ended_;                        // threads that have told their end
  Duration performs_until_ = Duration::max();
  bool is_closed_ = false;

  std::jthread watch_;
};

}  // namespace carillon
