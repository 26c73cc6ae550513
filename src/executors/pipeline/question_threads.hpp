#pragma once

#include "executors/pipeline/asker.hpp"

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

namespace carillon::pipeline {

/// Asks several questions at a time, each on a thread, and hands their answers to one that waits for them. There are as
/// many threads as there were questions under way at once.
class QuestionThreads {
 public:
  struct Task {
    std::size_t number = 0;
    QuestionKey key{};
    Question question{};
    NamedProvider* provider = nullptr;
    Duration timeout{};
  };
  struct Completion {
    std::size_t number = 0;
    QuestionKey key{};
    Result<ProviderResult> result;  // as Asker::ask gives it
    std::optional<double> cost{};   // of an answer, if its model has a price
  };

  explicit QuestionThreads(Asker& asker) : asker_{asker} {}
  QuestionThreads(const QuestionThreads&) = delete;
  QuestionThreads& operator=(const QuestionThreads&) = delete;
  /// Waits until nothing is under way any more.
  ~QuestionThreads();

  void start(Task task);
  /// How many have been started and not been taken.
  [[nodiscard]] std::size_t open_count() const { return open_count_; }
  /// Waits for the next answer. Something must be open.
  [[nodiscard]] Completion take();
  /// Ends what is under way soon; it is still to be taken.
  void stop() { stop_.request_stop(); }

 private:
  void run();
  [[nodiscard]] Completion perform(const Task& task);

  Asker& asker_;
  std::stop_source stop_;
  std::size_t open_count_ = 0;  // of the thread that starts and takes

  std::mutex mutex_;
  std::condition_variable has_task_;
  std::condition_variable has_completion_;
  // Guarded.
  std::deque<Task> tasks_;
  std::deque<Completion> completions_;
  bool is_closed_ = false;

  std::vector<std::jthread> threads_;
};

}  // namespace carillon::pipeline
