#pragma once

#include "executors/secrets/secret_reader.hpp"
#include "ports/executor.hpp"

#include <map>
#include <mutex>

namespace carillon {

/// Stands before an executor and gives it assignments with their secrets: the references of an action are read on the
/// reader's threads, and only then the attempt is launched. One whose secrets cannot be had ends as failed without
/// having been launched; one that is stopped meanwhile ends at once, told from the thread that stops it. Actions
/// without references go straight through.
///
/// A detached attempt whose secrets cannot be had is resumed all the same, and its output is withheld.
class ResolvingExecutor final : public Executor {
 public:
  /// The reader is destroyed before this.
  ResolvingExecutor(Executor& inner, AttemptEvents& events, SecretReader& reader);

  void launch(Assignment assignment) override;
  void stop(const AttemptKey& key, Stop how) override;
  void extend_until(Duration since_boot) override { inner_.extend_until(since_boot); }
  void resume(Assignment assignment) override;
  void recorded(const AttemptKey& key) override { inner_.recorded(key); }

 private:
  struct Pending {
    Assignment assignment;
    bool is_launching = false;  // given to the inner executor, which may not know of it yet
    Stop stop = Stop::none;     // asked meanwhile
  };

  void launch_resolved(const AttemptKey& key, Result<TextMap> secrets);

  Executor& inner_;
  AttemptEvents& events_;
  SecretReader& reader_;
  std::mutex mutex_;
  std::map<AttemptKey, Pending> pending_;  // guarded
};

}  // namespace carillon
