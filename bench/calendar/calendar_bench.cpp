// Speed of the calendar on eight expressions, in UTC and in a zone with clock changes.
//
// `next`: one call of Timetable::next from one of 512 instants spread over 2026. `parse`: one call of parse_cron.
// `allocations` counts calls of operator new per operation.

#include "calendar/cron.hpp"
#include "calendar/timetable.hpp"
#include "support/count_allocations.hpp"
#include "zones/system_zone_source.hpp"

#include <benchmark/benchmark.h>

#include <array>
#include <string>
#include <vector>

namespace carillon {
namespace {

constexpr std::array expressions{"* * * * *",  "*/15 9-17 * * 1-5", "0 9 * * 1-5", "0 0 1 1 *",
                                 "0 0 29 2 *", "30 2 * * *",        "0 0 13 * 5",  "*/10 * * * * *"};

std::vector<Instant> instants_of_2026() {
  std::vector<Instant> instants;
  const Instant first = parse_instant("2026-01-01T00:00:00Z").value();
  // Steps of a prime number of seconds, so that all hours and seconds occur.
  for (int i = 0; i < 512; ++i) instants.push_back(first + i * std::chrono::seconds{61583});
  return instants;
}

void report_allocations(benchmark::State& state, std::size_t before) {
  state.counters["allocations"] =
      benchmark::Counter(static_cast<double>(allocation_count - before) / static_cast<double>(state.iterations()));
}

void next(benchmark::State& state, const std::string& expression, const ZonePtr& zone) {
  Spec spec;
  spec.crons = {expression};
  const Timetable timetable = Timetable::make(spec, zone, {}).value();
  const std::vector<Instant> instants = instants_of_2026();
  const std::size_t before = allocation_count;
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(timetable.next(instants[i++ % 512]));
  report_allocations(state, before);
}

void parse(benchmark::State& state, const std::string& expression) {
  const std::size_t before = allocation_count;
  for (auto _ : state) benchmark::DoNotOptimize(parse_cron(expression));
  report_allocations(state, before);
}

void count_a_year_of_minutes(benchmark::State& state, const ZonePtr& zone) {
  Spec spec;
  spec.crons = {"* * * * *"};
  const Timetable timetable = Timetable::make(spec, zone, {}).value();
  const Instant from = parse_instant("2026-01-01T00:00:00Z").value();
  const Instant to = parse_instant("2027-01-01T00:00:00Z").value();
  for (auto _ : state) benchmark::DoNotOptimize(timetable.count(from, to));
}

void register_all() {
  SystemZoneSource zones;
  for (const std::string name : {"UTC", "America/New_York"}) {
    const ZonePtr zone = zones.zone(name).value();
    for (const std::string expression : expressions) {
      benchmark::RegisterBenchmark(("next/" + expression + "/" + name).c_str(), next, expression, zone);
    }
    benchmark::RegisterBenchmark(("count a year of minutes//" + name).c_str(), count_a_year_of_minutes, zone);
  }
  for (const std::string expression : expressions) {
    benchmark::RegisterBenchmark(("parse/" + expression).c_str(), parse, expression);
  }
}

}  // namespace
}  // namespace carillon

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  carillon::register_all();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
