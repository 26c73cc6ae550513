#include "definitions/policies_document.hpp"

#include "definitions/members.hpp"

#include <fmt/format.h>

#include <utility>

namespace carillon {
namespace {

namespace json = boost::json;

Policies::Catchup read_catchup(const json::value& value, std::string pointer, Problems& problems) {
  Policies::Catchup catchup;
  ObjectReader reader{value, std::move(pointer), problems};
  catchup.policy = word_of<CatchupPolicy>(reader, "policy").value_or(catchup.policy);
  catchup.window = reader.duration("window");
  catchup.grace = reader.duration("grace").value_or(catchup.grace);
  catchup.run_count_max = integer_within(reader, "maxRuns", 1, catchup_runs_max).value_or(catchup.run_count_max);
  reader.finish();
  return catchup;
}

void check_delays(ObjectReader& reader, const Policies::Retry& retry) {
  if (!retry.delay_max || *retry.delay_max >= retry.initial) return;
  reader.problem(
      "maxDelay", "out-of-range",
      fmt::format("maxDelay {} is shorter than initial {}", to_text(*retry.delay_max), to_text(retry.initial)),
      "write a longer maxDelay or a shorter initial");
}

Policies::Retry read_retry(const json::value& value, std::string pointer, Problems& problems) {
  Policies::Retry retry;
  ObjectReader reader{value, std::move(pointer), problems};
  retry.attempt_count_max = integer_within(reader, "maxAttempts", 1, attempts_max).value_or(retry.attempt_count_max);
  retry.backoff = word_of<Backoff>(reader, "backoff").value_or(retry.backoff);
  retry.initial = reader.duration("initial").value_or(retry.initial);
  retry.factor = number_within(reader, "factor", 1, retry_factor_max).value_or(retry.factor);
  retry.delay_max = reader.duration("maxDelay");
  retry.jitter = number_within(reader, "jitter", 0, 1).value_or(retry.jitter);
  retry.on_lost = reader.boolean("onLost");
  check_delays(reader, retry);
  reader.finish();
  return retry;
}

Policies::Pause read_pause(const json::value& value, std::string pointer, Problems& problems) {
  Policies::Pause pause;
  ObjectReader reader{value, std::move(pointer), problems};
  pause.missed = word_of<PauseMissed>(reader, "missed").value_or(pause.missed);
  reader.finish();
  return pause;
}

Policies::Keep read_keep(const json::value& value, std::string pointer, Problems& problems) {
  Policies::Keep keep;
  ObjectReader reader{value, std::move(pointer), problems};
  keep.runs = integer_within(reader, "runs", 1, kept_runs_max).value_or(keep.runs);
  keep.days = integer_within(reader, "days", 1, kept_days_max).value_or(keep.days);
  reader.finish();
  return keep;
}

json::value write_truth(const std::optional<bool>& truth) { return truth ? json::value(*truth) : json::value(nullptr); }

json::object write_catchup(const Policies::Catchup& catchup) {
  return {{"policy", to_text(catchup.policy)},
          {"window", write_duration(catchup.window)},
          {"grace", to_text(catchup.grace)},
          {"maxRuns", catchup.run_count_max}};
}

json::object write_retry(const Policies::Retry& retry) {
  return {{"maxAttempts", retry.attempt_count_max},      {"backoff", to_text(retry.backoff)},
          {"initial", to_text(retry.initial)},           {"factor", write_number(retry.factor)},
          {"maxDelay", write_duration(retry.delay_max)}, {"jitter", write_number(retry.jitter)},
          {"onLost", write_truth(retry.on_lost)}};
}

}  // namespace

Policies read_policies(const json::value& document, std::string pointer, Problems& problems) {
  Policies policies;
  ObjectReader reader{document, std::move(pointer), problems};
  policies.overlap = word_of<OverlapPolicy>(reader, "overlap").value_or(policies.overlap);
  policies.buffer_limit = integer_within(reader, "bufferLimit", 1, buffer_limit_max).value_or(policies.buffer_limit);
  if (const auto* catchup = reader.member("catchup"))
    policies.catchup = read_catchup(*catchup, reader.pointer("catchup"), problems);
  if (const auto* retry = reader.member("retry"))
    policies.retry = read_retry(*retry, reader.pointer("retry"), problems);
  policies.timeout = duration_within(reader, "timeout", timeout_min);
  policies.grace = duration_within(reader, "grace", Duration{0}, grace_max).value_or(policies.grace);
  policies.start_deadline = duration_within(reader, "startDeadline", timeout_min);
  policies.total_repeats =
      integer_within(reader, "totalRepeats", 0, total_repeats_max).value_or(policies.total_repeats);
  policies.starts_max = integer_within(reader, "maxStarts", 0, starts_limit_max);
  policies.consecutive_failures_max =
      integer_within(reader, "maxConsecutiveFailures", 0, consecutive_failures_limit_max)
          .value_or(policies.consecutive_failures_max);
  policies.pause_on_failure = reader.boolean("pauseOnFailure").value_or(policies.pause_on_failure);
  if (const auto* pause = reader.member("pause"))
    policies.pause = read_pause(*pause, reader.pointer("pause"), problems);
  if (const auto* keep = reader.member("keep")) policies.keep = read_keep(*keep, reader.pointer("keep"), problems);
  reader.finish();
  return policies;
}

json::object write_policies(const Policies& policies) {
  json::object out{{"overlap", to_text(policies.overlap)},
                   {"bufferLimit", policies.buffer_limit},
                   {"catchup", write_catchup(policies.catchup)},
                   {"retry", write_retry(policies.retry)},
                   {"timeout", write_duration(policies.timeout)},
                   {"grace", to_text(policies.grace)},
                   {"startDeadline", write_duration(policies.start_deadline)},
                   {"totalRepeats", policies.total_repeats},
                   {"maxConsecutiveFailures", policies.consecutive_failures_max},
                   {"pauseOnFailure", policies.pause_on_failure},
                   {"pause", json::object{{"missed", to_text(policies.pause.missed)}}},
                   {"keep", json::object{{"runs", policies.keep.runs}, {"days", policies.keep.days}}}};
  // Only where there is one: documents from before it are what they were.
  if (policies.starts_max) out["maxStarts"] = *policies.starts_max;
  return out;
}

}  // namespace carillon
