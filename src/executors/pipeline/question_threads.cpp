#include "executors/pipeline/question_threads.hpp"

#include <exception>
#include <utility>

namespace carillon::pipeline {

QuestionThreads::~QuestionThreads() {
  stop();
  {
    const std::lock_guard lock{mutex_};
    is_closed_ = true;
  }
  has_task_.notify_all();
}

void QuestionThreads::start(Task task) {
  {
    const std::lock_guard lock{mutex_};
    tasks_.push_back(std::move(task));
  }
  if (++open_count_ > threads_.size()) threads_.emplace_back([this] { run(); });
  has_task_.notify_one();
}

QuestionThreads::Completion QuestionThreads::take() {
  std::unique_lock lock{mutex_};
  has_completion_.wait(lock, [&] { return !completions_.empty(); });
  Completion completion = std::move(completions_.front());
  completions_.pop_front();
  --open_count_;
  return completion;
}

void QuestionThreads::run() {
  std::unique_lock lock{mutex_};
  for (;;) {
    has_task_.wait(lock, [&] { return is_closed_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    const Task task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    Completion completion = perform(task);
    lock.lock();
    completions_.push_back(std::move(completion));
    has_completion_.notify_one();
  }
}

QuestionThreads::Completion QuestionThreads::perform(const Task& task) {
  try {
    Completion completion{task.number, task.key,
                          asker_.ask(*task.provider, task.key, task.question, task.timeout, stop_.get_token())};
    if (completion.result && *completion.result)
      completion.cost = cost_of(task.provider->terms.prices, task.question.model, (*completion.result)->usage);
    return completion;
  } catch (const std::exception& exception) {
    return {task.number, task.key, fail(ErrorCode::unavailable, "asking failed: {}", exception.what())};
  }
}

}  // namespace carillon::pipeline
