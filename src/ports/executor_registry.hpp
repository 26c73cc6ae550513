#pragma once

#include "definitions/action.hpp"
#include "ports/executor.hpp"

#include <initializer_list>
#include <map>
#include <vector>

namespace carillon {

/// Which executor performs which kind of action here. A value: copies name the same executors, which outlive all of
/// them. It does not change after it was made, so that it may be read from several threads.
class ExecutorRegistry {
 public:
  struct Entry {
    ActionKind kind;
    Executor& executor;
  };

  /// A server without any performs nothing.
  ExecutorRegistry() = default;
  /// Of two entries of one kind the first counts.
  ExecutorRegistry(std::initializer_list<Entry> entries) {
    for (const Entry& entry : entries) executors_.emplace(entry.kind, &entry.executor);
  }

  /// Null if nobody here performs actions of this kind.
  [[nodiscard]] Executor* find(ActionKind kind) const {
    const auto found = executors_.find(kind);
    return found == executors_.end() ? nullptr : found->second;
  }

  /// The kinds that are performed here.
  [[nodiscard]] std::vector<ActionKind> kinds() const {
    std::vector<ActionKind> kinds;
    for (const auto& [kind, executor] : executors_) kinds.push_back(kind);
    return kinds;
  }

 private:
  std::map<ActionKind, Executor*> executors_;
};

}  // namespace carillon
