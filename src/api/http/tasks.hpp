#pragma once

#include <functional>

namespace carillon::http {

using Task = std::move_only_function<void()>;

/// A thread that does what it is told, in order. May be told from any thread.
class TaskRunner {
 public:
  virtual ~TaskRunner() = default;

  /// False if the thread has ended; the task is then destroyed.
  virtual bool submit(Task task) = 0;
};

}  // namespace carillon::http
