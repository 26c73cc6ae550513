#include "definitions/schedule_document.hpp"
#include "document/document.hpp"

#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <rapidcheck/gtest.h>

#include <optional>
#include <string>
#include <utility>

namespace carillon {
namespace {

namespace json = boost::json;

/// Texts that have given parsers trouble.
std::string any_text() {
  return *rc::gen::element<std::string>("a", "yes", "0x1f", " spaced ", "1:30", "Zoë", "a#b", "${env:X}", "{x: 1}", "-",
                                        "~");
}

std::string any_id() { return *rc::gen::element<std::string>("a", "A.b_c-d", "0", "nightly-etl", "null", "true"); }

TextMap any_map() {
  TextMap map;
  for (int i = *rc::gen::inRange(0, 4); i > 0; --i) map.emplace(any_id(), any_text());
  return map;
}

json::value any_json(int depth) {
  switch (*rc::gen::inRange(0, depth == 0 ? 5 : 7)) {
    case 0: return nullptr;
    case 1: return *rc::gen::arbitrary<bool>();
    case 2: return *rc::gen::arbitrary<std::int64_t>();
    case 3: return *rc::gen::arbitrary<std::int32_t>() / 4.0 + 0.125;
    case 4: return json::value(any_text());
    case 5: {
      json::array list;
      for (int i = *rc::gen::inRange(0, 3); i > 0; --i) list.push_back(any_json(depth - 1));
      return list;
    }
    default: {
      json::object object;
      for (int i = *rc::gen::inRange(0, 3); i > 0; --i) object[any_text()] = any_json(depth - 1);
      return object;
    }
  }
}

template <typename T>
std::optional<T> maybe(const T& value) {
  return *rc::gen::arbitrary<bool>() ? std::optional{value} : std::nullopt;
}

template <Worded Enum>
Enum any_word() {
  return static_cast<Enum>(*rc::gen::inRange<std::size_t>(0, words_of<Enum>().size()));
}

std::int64_t any_integer(std::int64_t min, std::int64_t max) { return *rc::gen::inRange(min, max + 1); }

Duration any_duration(Duration min, Duration max = std::chrono::days{400}) {
  return Duration{any_integer(min.count(), max.count())};
}

Policies any_policies() {
  Policies policies;
  policies.overlap = any_word<OverlapPolicy>();
  policies.buffer_limit = any_integer(1, buffer_limit_max);
  policies.catchup = {.policy = any_word<CatchupPolicy>(),
                      .window = maybe(any_duration(Duration{0})),
                      .grace = any_duration(Duration{0}),
                      .run_count_max = any_integer(1, catchup_runs_max)};
  policies.retry.attempt_count_max = any_integer(1, attempts_max);
  policies.retry.backoff = any_word<Backoff>();
  policies.retry.initial = any_duration(Duration{0});
  policies.retry.factor = static_cast<double>(any_integer(1000, 1'000'000)) / 1000;
  policies.retry.delay_max = maybe(policies.retry.initial + any_duration(Duration{0}));
  policies.retry.jitter = static_cast<double>(any_integer(0, 1000)) / 1000;
  policies.retry.on_lost = maybe(*rc::gen::arbitrary<bool>());
  policies.timeout = maybe(any_duration(timeout_min));
  policies.grace = any_duration(Duration{0}, grace_max);
  policies.start_deadline = maybe(any_duration(timeout_min));
  policies.total_repeats = any_integer(0, total_repeats_max);
  policies.consecutive_failures_max = any_integer(0, consecutive_failures_limit_max);
  policies.pause_on_failure = *rc::gen::arbitrary<bool>();
  policies.pause.missed = any_word<PauseMissed>();
  policies.keep = {.runs = any_integer(1, kept_runs_max), .days = any_integer(1, kept_days_max)};
  return policies;
}

CommandAction any_command() {
  CommandAction command;
  command.argv.push_back(any_text());
  command.shell = *rc::gen::arbitrary<bool>();
  for (int i = command.shell ? 0 : *rc::gen::inRange(0, 4); i > 0; --i) command.argv.push_back(any_text());
  command.cwd = maybe(any_text());
  command.env = any_map();
  command.standard_input = maybe(any_text() + "\n\t\x01");
  command.user = maybe(any_text());
  if (*rc::gen::arbitrary<bool>()) command.limits.emplace("nofile", any_integer(0, 1'000'000'000'000));
  command.on_owner_loss = any_word<OnOwnerLoss>();
  return command;
}

HttpAction any_http() {
  HttpAction http;
  http.url = "https://example.com/" + any_id();
  http.method = *rc::gen::element<std::string>("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS");
  for (int i = *rc::gen::inRange(0, 4); i > 0; --i) http.headers.emplace(fmt::format("X-{}", i), any_text());
  if (http.method != "HEAD") http.body = any_json(2);
  const std::int64_t first = any_integer(100, 599);
  http.success_codes = {{first, any_integer(first, 599)}};
  http.signing_secret = maybe(std::string{"${secret:hook}"});
  return http;
}

JobAction any_job() {
  JobAction job;
  job.type = any_id();
  job.payload = any_json(3);
  // Null means left out, and that is an empty object.
  if (job.payload.is_null()) job.payload = json::object{};
  job.priority = any_integer(-100, 100);
  job.queue = any_id();
  return job;
}

Action any_action() {
  switch (*rc::gen::inRange(0, 4)) {
    case 0: return any_command();
    case 1: return any_http();
    case 2: return any_job();
    default: return PipelineAction{.path = "reports/" + any_id()};
  }
}

ScheduleDocument any_schedule() {
  Spec spec;
  if (*rc::gen::arbitrary<bool>()) spec.crons.emplace_back(" 0  9 * * mon-FRI ");
  if (*rc::gen::arbitrary<bool>()) spec.intervals.push_back({.every = std::chrono::seconds{any_integer(1, 1'000'000)}});
  spec.timezone = *rc::gen::element<std::string>("UTC", "Europe/Berlin");
  return {.id = ScheduleId::parse(any_id()).value(),
          .name_space = NamespaceId::parse(any_id()).value(),
          .name = any_text(),
          .description = any_text() + "\n",
          .labels = any_map(),
          .enabled = *rc::gen::arbitrary<bool>(),
          .spec = std::move(spec),
          .action = any_action(),
          .policies = any_policies()};
}

RC_GTEST_PROP(ScheduleRoundTrip, what_is_written_reads_back_the_same, ()) {
  const ScheduleDocument schedule = any_schedule();
  const json::object written = write_schedule(schedule);

  const auto from_value = read_schedule(written);
  const auto from_json = read_schedule(parse_json(json::serialize(written)).value());
  const auto from_yaml = read_schedule(parse_yaml(to_yaml(written)).value().root);

  RC_ASSERT(from_value.has_value());
  RC_ASSERT(*from_value == schedule);
  RC_ASSERT(from_json.has_value());
  RC_ASSERT(*from_json == schedule);
  RC_ASSERT(from_yaml.has_value());
  RC_ASSERT(*from_yaml == schedule);
  RC_ASSERT(json::serialize(write_schedule(*from_json)) == json::serialize(written));
}

}  // namespace
}  // namespace carillon
