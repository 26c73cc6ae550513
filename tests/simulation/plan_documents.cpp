#include "simulation/plan_parts.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace carillon::simulation {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

std::string draw_zone(Draw& draw) {
  return std::string{
      draw.one_of<std::string_view>({"UTC", "UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe"})};
}

struct Bounds {
  std::int64_t low = 0;
  std::int64_t high = 0;
};

// The second is drawn first, in statements of their own: compilers differ in the order in which they evaluate
// arguments, and a seed must mean the same world to all of them.
std::string draw_two(Draw& draw, std::string_view pattern, Bounds first, Bounds second) {
  const std::int64_t two = draw.between(second.low, second.high);
  const std::int64_t one = draw.between(first.low, first.high);
  return fmt::format(fmt::runtime(pattern), one, two);
}

std::string draw_cron(Draw& draw) {
  switch (draw.below(8)) {
    case 0: return "* * * * *";
    case 1: return fmt::format("*/{} * * * *", draw.one_of({2, 3, 5, 10, 15, 20}));
    case 2: return fmt::format("{} * * * *", draw.between(0, 59));
    case 3: return draw_two(draw, "{} */{} * * *", {0, 59}, {1, 6});
    case 4: return draw_two(draw, "{},{} * * * *", {0, 29}, {30, 59});
    case 5: return fmt::format("30 {} * * *", draw.between(0, 4));
    case 6: return draw_two(draw, "*/10 {}-{} * * *", {0, 8}, {9, 23});
    default: return draw_two(draw, "{} {} * * *", {0, 59}, {0, 23});
  }
}

Calendar draw_calendar(Draw& draw) {
  Calendar calendar;
  calendar.minute.emplace<std::string>(draw.chance(0.5) ? "*/15" : fmt::format("{}", draw.between(0, 59)));
  calendar.hour.emplace<std::string>(draw.chance(0.7) ? "*" : "1-3");
  if (draw.chance(0.2)) calendar.day_of_week.emplace<std::string>("MON-FRI");
  return calendar;
}

Duration draw_period(Draw& draw) {
  if (draw.chance(0.08)) return draw.one_of<Duration>({seconds{20}, seconds{45}});
  return draw.one_of<Duration>({minutes{1}, minutes{2}, minutes{5}, minutes{7}, minutes{13}, minutes{30}, minutes{60},
                                minutes{47}, minutes{90}});
}

void draw_sources(Draw& draw, Spec& spec, Instant begin) {
  switch (draw.below(10)) {
    case 0:
    case 1:
    case 2:
    case 3: spec.crons.push_back(draw_cron(draw)); break;
    case 4: spec.calendars.push_back(draw_calendar(draw)); break;
    case 5:
      for (auto left = draw.between(1, 5); left > 0; --left)
        spec.times.push_back(begin + std::chrono::floor<seconds>(draw.duration(Duration{0}, hours{26})));
      break;
    case 6:
      spec.crons.push_back(draw_cron(draw));
      spec.intervals.push_back({.every = draw_period(draw)});
      break;
    default:
      spec.intervals.push_back({.every = draw_period(draw),
                                .offset = draw.chance(0.3) ? Duration{seconds{draw.between(0, 19)}} : Duration{0},
                                .anchor = draw.chance(0.3) ? Anchor::epoch : Anchor::creation});
  }
}

Spec draw_spec(Draw& draw, Instant begin) {
  Spec spec;
  spec.timezone = draw_zone(draw);
  draw_sources(draw, spec, begin);
  if (draw.chance(0.25)) spec.jitter = draw.one_of<Duration>({seconds{5}, seconds{30}, minutes{3}});
  if (draw.chance(0.1)) spec.dst = DstPolicy::literal;
  const Instant day = std::chrono::floor<hours>(begin);
  if (draw.chance(0.1)) spec.start_at = day + hours{draw.between(1, 8)};
  if (draw.chance(0.12)) spec.end_at = day + hours{draw.between(10, 30)};
  if (draw.chance(0.08)) {
    Calendar lunch = Calendar::any();
    lunch.hour.emplace<std::string>("12");
    spec.exclude.push_back(std::move(lunch));
  }
  return spec;
}

Action draw_action(Draw& draw) {
  switch (draw.below(3)) {
    case 0: {
      CommandAction command;
      command.argv = {"/bin/true"};
      return command;
    }
    case 1: {
      HttpAction http;
      http.url = "https://example.com/hook";
      return http;
    }
    default: {
      JobAction job;
      job.type = "report";
      job.priority = draw.between(-2, 2);
      job.queue = draw.one_of<std::string_view>({"default", "reports"});
      return job;
    }
  }
}

void draw_catchup(Draw& draw, Policies::Catchup& catchup) {
  catchup.policy = draw.one_of({CatchupPolicy::latest, CatchupPolicy::all, CatchupPolicy::all, CatchupPolicy::none});
  if (draw.chance(0.5))
    catchup.window = draw.one_of<Duration>({seconds{20}, minutes{5}, minutes{30}, hours{3}, hours{24}});
  catchup.grace = draw.one_of<Duration>({seconds{0}, seconds{10}, seconds{60}, minutes{5}});
  catchup.run_count_max = draw.one_of<std::int64_t>({1, 3, 10, 1000});
}

void draw_retry(Draw& draw, Policies::Retry& retry) {
  retry.attempt_count_max = draw.between(1, 4);
  retry.backoff = draw.one_of({Backoff::fixed, Backoff::linear, Backoff::exponential});
  retry.initial = draw.one_of<Duration>({seconds{1}, seconds{20}, minutes{1}, minutes{4}});
  retry.factor = draw.one_of({1.5, 2.0, 3.0});
  if (draw.chance(0.3)) retry.jitter = 0.5;
  if (draw.chance(0.2)) retry.on_lost = draw.chance(0.5);
}

Policies draw_policies(Draw& draw) {
  Policies policies;
  policies.overlap = draw.one_of({OverlapPolicy::skip, OverlapPolicy::buffer_one, OverlapPolicy::buffer_latest,
                                  OverlapPolicy::buffer_all, OverlapPolicy::buffer_all, OverlapPolicy::cancel_other,
                                  OverlapPolicy::terminate_other, OverlapPolicy::allow_all});
  policies.buffer_limit = draw.one_of<std::int64_t>({1, 3, 20});
  draw_catchup(draw, policies.catchup);
  draw_retry(draw, policies.retry);
  if (draw.chance(0.3)) policies.timeout = draw.one_of<Duration>({seconds{5}, minutes{1}, minutes{10}});
  policies.grace = draw.one_of<Duration>({seconds{1}, seconds{10}});
  if (draw.chance(0.3)) policies.start_deadline = draw.one_of<Duration>({seconds{30}, minutes{5}, hours{1}});
  if (draw.chance(0.12)) policies.total_repeats = draw.between(1, 12);
  if (draw.chance(0.12)) policies.consecutive_failures_max = draw.between(1, 3);
  policies.pause_on_failure = draw.chance(0.05);
  policies.pause.missed = draw.chance(0.4) ? PauseMissed::buffer : PauseMissed::skip;
  if (draw.chance(0.12)) policies.starts_max = draw.between(0, 12);
  return policies;
}

/// What some schedules do in the moment they are created.
std::optional<OnCreate> draw_first(Draw& draw) {
  if (!draw.chance(0.15)) return std::nullopt;
  OnCreate first;
  if (draw.chance(0.4)) first.pause = OnCreate::Pause{.reason = "not yet", .until = {}};
  if (!first.pause || draw.chance(0.5))
    first.trigger =
        OnCreate::Trigger{.overlap = static_cast<OverlapPolicy>(draw.below(7)), .nominal = {}, .payload = {}};
  return first;
}

}  // namespace

ScheduleDocument draw_document(Draw& draw, const std::string& id, Instant begin) {
  return {.id = ScheduleId::parse(id).value(),
          .name_space = NamespaceId::parse("default").value(),
          .name = id,
          .description = {},
          .labels = {},
          .enabled = !draw.chance(0.04),
          .spec = draw_spec(draw, begin),
          .action = draw_action(draw),
          .policies = draw_policies(draw),
          .on_create = draw_first(draw)};
}

RunHabit draw_habit(Draw& draw) {
  return {.length_max = draw.one_of<Duration>({seconds{1}, seconds{20}, minutes{2}, minutes{10}, minutes{40}}),
          .failure_rate = draw.one_of({0.0, 0.1, 0.3, 0.6}),
          .stubborn_rate = draw.one_of({0.0, 0.3})};
}

}  // namespace carillon::simulation
