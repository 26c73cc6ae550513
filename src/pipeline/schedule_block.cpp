#include "calendar/spec_document.hpp"
#include "definitions/members.hpp"
#include "pipeline/document_parts.hpp"

#include <boost/json/object.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

namespace carillon::pipeline {
namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, 2> missed_words{"run", "skip"};
constexpr std::int64_t delay_ms_max = 100LL * 366 * 86'400'000;
constexpr double delay_minutes_max = 100.0 * 366 * 24 * 60;
/// Above so many retries the usual limit of a delay, ten times the first, would be reached.
constexpr std::int64_t retries_within_usual_limit = 10;

Policies::Retry read_retry_policy(const json::value* value, const std::string& pointer, Problems& problems) {
  const json::value empty = json::object{};
  ObjectReader reader{value == nullptr ? empty : *value, pointer, problems};
  Policies::Retry retry;
  const std::int64_t retries = integer_within(reader, "maxRetries", 0, attempts_max - 1).value_or(3);
  retry.attempt_count_max = retries + 1;
  retry.backoff = Backoff::linear;
  retry.initial = std::chrono::milliseconds{
      integer_within(reader, "retryDelayMs", 0, delay_ms_max / attempts_max).value_or(60'000)};
  if (retries > retries_within_usual_limit) retry.delay_max = retries * retry.initial;
  reader.finish();
  return retry;
}

std::optional<Duration> read_window(const json::value& value, const std::string& pointer, Problems& problems) {
  ObjectReader reader{value, pointer, problems};
  const auto minutes = number_within(reader, "maxDelayMinutes", 0, delay_minutes_max);
  reader.finish();
  if (!minutes) return std::nullopt;
  return Duration{std::llround(*minutes * 60'000'000)};
}

/// Cron and zone are read as those of every schedule.
Spec read_times_of_schedule(ObjectReader& reader, std::string_view default_timezone, Problems& problems) {
  json::object document;
  for (const std::string_view key : {"cron", "timezone"})
    if (const json::value* value = reader.member(key)) document[key] = *value;
  if (!document.contains("cron"))
    reader.problem("cron", "missing", "a schedule needs cron", "write cron: \"0 9 * * 1-5\"");
  auto spec = read_spec(document, default_timezone, "/schedule");
  if (spec) return *std::move(spec);
  std::ranges::move(spec.error(), std::back_inserter(problems));
  return {};
}

}  // namespace

PackageSchedule read_package_schedule(const json::value& value, std::string_view default_timezone, Problems& problems) {
  ObjectReader reader{value, "/schedule", problems};
  PackageSchedule schedule;
  if (!value.is_object()) return schedule;
  schedule.spec = read_times_of_schedule(reader, default_timezone, problems);
  schedule.enabled = reader.boolean("enabled").value_or(true);
  schedule.policies.retry = read_retry_policy(reader.member("retryPolicy"), reader.pointer("retryPolicy"), problems);
  if (reader.word("missedExecution", missed_words).value_or(0) == 1)
    schedule.policies.catchup.policy = CatchupPolicy::none;
  if (const json::value* window = reader.member("window"))
    schedule.policies.catchup.window = read_window(*window, reader.pointer("window"), problems);
  reader.finish();
  return schedule;
}

}  // namespace carillon::pipeline
