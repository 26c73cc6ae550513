#include "simulation/report.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <chrono>

namespace carillon::simulation {

void Summary::add(std::uint64_t seed, const Outcome& outcome) {
  ++seeds;
  simulated += outcome.simulated;
  writes += outcome.writes;
  decisions += outcome.decisions;
  launches += outcome.launches;
  tally.add(outcome.tally);
  for (const auto& [invariant, count] : outcome.findings.facts()) facts[invariant] += count;
  if (!outcome.findings.violations().empty())
    failures.push_back({.seed = seed, .violation = outcome.findings.violations().front(), .shrunken = {}});
}

std::string to_json(const Summary& summary) {
  namespace json = boost::json;
  json::object tally;
  for (std::size_t i = 0; i < sometimes_count; ++i) {
    const auto what = static_cast<Sometimes>(i);
    tally[to_text(what)] = summary.tally.count(what);
  }
  json::object facts;
  for (const auto& [invariant, count] : summary.facts) facts[invariant] = count;
  json::array failures;
  for (const Summary::Failure& failure : summary.failures)
    failures.push_back(json::object{{"seed", failure.seed},
                                    {"invariant", failure.violation.invariant},
                                    {"schedule", failure.violation.schedule},
                                    {"message", failure.violation.message},
                                    {"shrunken", failure.shrunken}});
  return json::serialize(json::object{
      {"seeds", summary.seeds},
      {"days", static_cast<double>(std::chrono::duration_cast<std::chrono::minutes>(summary.simulated).count()) / 1440},
      {"writes", summary.writes},
      {"decisions", summary.decisions},
      {"launches", summary.launches},
      {"sometimes", std::move(tally)},
      {"facts", std::move(facts)},
      {"failures", std::move(failures)}});
}

}  // namespace carillon::simulation
