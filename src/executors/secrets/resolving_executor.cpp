#include "executors/secrets/resolving_executor.hpp"

#include "definitions/secret_references.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace carillon {
namespace {

std::string text_of(const Error& error) {
  return error.hint.empty() ? error.message : error.message + "; " + error.hint;
}

}  // namespace

ResolvingExecutor::ResolvingExecutor(Executor& inner, AttemptEvents& events, SecretReader& reader)
    : inner_{inner}, events_{events}, reader_{reader} {}

void ResolvingExecutor::launch(Assignment assignment) {
  const auto references = references_of(assignment.action);
  if (references.empty()) return inner_.launch(std::move(assignment));
  const AttemptKey key = assignment.key;
  {
    const std::lock_guard lock{mutex_};
    pending_.insert_or_assign(key, Pending{.assignment = std::move(assignment)});
  }
  reader_.read(references, [this, key](Result<TextMap> secrets) { launch_resolved(key, std::move(secrets)); });
}

void ResolvingExecutor::launch_resolved(const AttemptKey& key, Result<TextMap> secrets) {
  Assignment assignment;
  {
    const std::lock_guard lock{mutex_};
    const auto found = pending_.find(key);
    if (found == pending_.end()) return;
    if (secrets) {
      assignment = std::move(found->second.assignment);
      found->second.is_launching = true;
    } else {
      pending_.erase(found);
    }
  }
  if (!secrets) return events_.ended(key, {.outcome = AttemptOutcome::failed, .error = text_of(secrets.error())});
  assignment.secrets = *std::move(secrets);
  inner_.launch(std::move(assignment));
  Stop stop{};
  {
    const std::lock_guard lock{mutex_};
    stop = pending_.extract(key).mapped().stop;
  }
  if (stop != Stop::none) inner_.stop(key, stop);
}

void ResolvingExecutor::stop(const AttemptKey& key, Stop how) {
  if (how == Stop::none) return;
  {
    const std::lock_guard lock{mutex_};
    const auto found = pending_.find(key);
    if (found != pending_.end() && found->second.is_launching) {
      found->second.stop = std::max(found->second.stop, how);
      return;
    }
    if (pending_.erase(key) == 0) return inner_.stop(key, how);
  }
  events_.ended(key, {.outcome = AttemptOutcome::cancelled, .error = "it was stopped before its secrets were read"});
}

void ResolvingExecutor::resume(Assignment assignment) {
  const auto references = references_of(assignment.action);
  if (references.empty()) return inner_.resume(std::move(assignment));
  reader_.read(references, [this, assignment = std::move(assignment)](Result<TextMap> secrets) mutable {
    assignment.is_output_withheld = !secrets;
    if (secrets) assignment.secrets = *std::move(secrets);
    inner_.resume(std::move(assignment));
  });
}

}  // namespace carillon
