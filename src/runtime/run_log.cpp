#include "runtime/run_log.hpp"

namespace carillon {
namespace {

std::string_view word_of(AttemptOutcome outcome) {
  switch (outcome) {
    case AttemptOutcome::succeeded: return "run succeeded";
    case AttemptOutcome::failed: return "run failed";
    case AttemptOutcome::timed_out: return "run timed out";
    case AttemptOutcome::cancelled: return "run cancelled";
    case AttemptOutcome::lost: return "run lost";
    case AttemptOutcome::released: return "run returned to its queue before launch";
  }
  std::unreachable();
}

}  // namespace

void RunLog::attempt_began(const AttemptNews& news) {
  if (next_ != nullptr) next_->attempt_began(news);
  log_.info("run started", {{"run", news.envelope.run_name}, {"attempt", news.envelope.attempt}});
}

void RunLog::attempt_ended(const AttemptNews& news) {
  if (next_ != nullptr) next_->attempt_ended(news);
  const Envelope& envelope = news.envelope;
  const auto took = std::chrono::floor<std::chrono::milliseconds>(duration_of(news));
  if (news.end->outcome == AttemptOutcome::succeeded)
    return log_.info("run succeeded",
                     {{"run", envelope.run_name}, {"attempt", envelope.attempt}, {"took", Duration{took}}});
  log_.warn(word_of(news.end->outcome), {{"run", envelope.run_name},
                                         {"attempt", envelope.attempt},
                                         {"took", Duration{took}},
                                         {"error", news.end->error},
                                         {"retries", news.will_retry}});
}

}  // namespace carillon
