#include "definitions/policies_document.hpp"

#include "base/ids.hpp"
#include "base/quoted.hpp"
#include "definitions/members.hpp"

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include <algorithm>
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
  retry.lost_max = integer_within(reader, "maxLost", 1, lost_limit_max).value_or(retry.lost_max);
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

std::vector<std::string> read_tags(ObjectReader& reader) {
  std::vector<std::string> tags;
  const json::value* value = reader.member("tags");
  if (value == nullptr) return tags;
  if (!value->is_array() || value->get_array().size() > tag_count_max) {
    reader.problem("tags", "wrong-type", fmt::format("tags must be a list of at most {} names", tag_count_max),
                   "write tags: [gpu]");
    return tags;
  }
  for (const json::value& item : value->get_array()) {
    const std::string_view tag = item.is_string() ? std::string_view{item.get_string()} : std::string_view{};
    if (!is_id_text(tag)) {
      reader.problem("tags", "invalid-name", fmt::format("{} is not a tag", quoted(json::serialize(item))),
                     "write letters, digits, '.', '_' and '-'");
      continue;
    }
    tags.emplace_back(tag);
  }
  std::ranges::sort(tags);
  const auto repeated = std::ranges::unique(tags);
  tags.erase(repeated.begin(), repeated.end());
  return tags;
}

Policies::Concurrency read_concurrency(const json::value& value, std::string pointer, Problems& problems) {
  Policies::Concurrency concurrency;
  ObjectReader reader{value, std::move(pointer), problems};
  concurrency.key =
      text_within(reader, "key", {.length_min = 1, .length_max = concurrency_key_length_max}).value_or("");
  require(reader, value, "key", "concurrency needs key", "write key: database-1");
  concurrency.limit = integer_within(reader, "limit", 1, concurrency_limit_max).value_or(concurrency.limit);
  reader.finish();
  return concurrency;
}

json::value write_truth(const std::optional<bool>& truth) { return truth ? json::value(*truth) : json::value(nullptr); }

json::object write_catchup(const Policies::Catchup& catchup) {
  return {{"policy", to_text(catchup.policy)},
          {"window", write_duration(catchup.window)},
          {"grace", to_text(catchup.grace)},
          {"maxRuns", catchup.run_count_max}};
}

json::object write_retry(const Policies::Retry& retry) {
  json::object members{{"maxAttempts", retry.attempt_count_max},      {"backoff", to_text(retry.backoff)},
                       {"initial", to_text(retry.initial)},           {"factor", write_number(retry.factor)},
                       {"maxDelay", write_duration(retry.delay_max)}, {"jitter", write_number(retry.jitter)},
                       {"onLost", write_truth(retry.on_lost)}};
  // As with tags: only if a document says it.
  if (retry.lost_max != Policies::Retry{}.lost_max) members["maxLost"] = retry.lost_max;
  return members;
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
  policies.tags = read_tags(reader);
  if (const auto* concurrency = reader.member("concurrency"))
    policies.concurrency = read_concurrency(*concurrency, reader.pointer("concurrency"), problems);
  reader.finish();
  return policies;
}

json::object write_policies(const Policies& policies) {
  json::object members{{"overlap", to_text(policies.overlap)},
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
  // Only if there are any: documents of earlier releases, which do not know them, stay equal to what is written now.
  if (!policies.tags.empty()) members["tags"] = json::array(policies.tags.begin(), policies.tags.end());
  if (policies.concurrency)
    members["concurrency"] = json::object{{"key", policies.concurrency->key}, {"limit", policies.concurrency->limit}};
  if (policies.starts_max) members["maxStarts"] = *policies.starts_max;
  return members;
}

}  // namespace carillon
