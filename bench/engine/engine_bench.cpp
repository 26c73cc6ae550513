// Speed of the schedule machine.
//
// `due`: one step for one occurrence that is due in time, with an ended run to count, as a busy server makes them.
// `gap`: one step that decides a million missed minutes by `latest`. `allocations` counts calls of operator new per
// step.

#include "engine/step.hpp"
#include "support/count_allocations.hpp"

#include <benchmark/benchmark.h>

#include <string>

namespace carillon {
namespace {

Definition minutely(const std::string& cron, Duration jitter) {
  CommandAction command;
  command.argv = {"/bin/true"};
  ScheduleDocument document{.id = ScheduleId::parse("bench").value(),
                            .name_space = NamespaceId::parse("default").value(),
                            .name = "bench",
                            .description = "",
                            .labels = {},
                            .enabled = true,
                            .spec = {},
                            .action = command,
                            .policies = {}};
  document.spec.crons = {cron};
  document.spec.jitter = jitter;
  return compile(document, 1, Zone::utc(), ZoneEdition::none, {}).value();
}

ScheduleView view_at(Instant cursor) {
  ScheduleView view;
  view.state.uid = Uid{1};
  view.state.version = 7;
  view.state.revision = 1;
  view.state.cursor = cursor;
  return view;
}

const Instant nine = parse_instant("2027-03-01T09:00:00Z").value();

void report_allocations(benchmark::State& state, std::size_t before) {
  state.counters["allocations"] =
      benchmark::Counter(static_cast<double>(allocation_count - before) / static_cast<double>(state.iterations()));
}

void due(benchmark::State& state, Duration jitter) {
  const Definition definition = minutely("* * * * *", jitter);
  ScheduleView view = view_at(nine);
  view.live.push_back({.seq = Seq{41}, .nominal = nine, .due = nine, .state = RunState::succeeded});
  const Instant now = nine + std::chrono::seconds{60} + jitter;
  const std::size_t before = allocation_count;
  for (auto _ : state) benchmark::DoNotOptimize(step(definition, view, BecameDue{}, now));
  report_allocations(state, before);
}

void gap(benchmark::State& state) {
  const Definition definition = minutely("* * * * *", Duration{0});
  const ScheduleView view = view_at(nine);
  const std::size_t before = allocation_count;
  for (auto _ : state)
    benchmark::DoNotOptimize(step(definition, view, BecameDue{}, nine + std::chrono::minutes{1'000'000}));
  report_allocations(state, before);
}

BENCHMARK_CAPTURE(due, plain, Duration{0});
BENCHMARK_CAPTURE(due, jitter, std::chrono::seconds{30});
BENCHMARK(gap);

}  // namespace
}  // namespace carillon

BENCHMARK_MAIN();
