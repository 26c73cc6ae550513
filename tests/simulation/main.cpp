// simulate: lives through worlds drawn from seeds and says which promise broke.
//
//   simulate --seed S [--schedules s0,s2] [--actors 1,2] [--calls 3,5] [--faults none] [--troubled 5h] [--plan]
//   [--export DIR] simulate --from S --seeds N [--stride K] [--json] [--shrink] [--twice] [--stop-at-first] both:
//   [--bug NAME] [--store memory|sqlite|shared] [--goes-on]; simulate --bugs lists them

#include "base/duration_text.hpp"
#include "simulation/plan.hpp"
#include "simulation/report.hpp"
#include "simulation/shrink.hpp"
#include "simulation/simulation.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <exception>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace carillon;
using namespace carillon::simulation;

struct Options {
  std::uint64_t from = 1;
  std::uint64_t seeds = 1;
  std::uint64_t stride = 1;
  bool is_single = false;
  bool prints_json = false;
  bool shrinks = false;
  bool runs_twice = false;
  bool stops_at_first = false;
  bool prints_plan = false;
  bool lists_bugs = false;
  Selection selection{};
  RunOptions run{};
};

std::uint64_t number_of(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size())
    throw std::invalid_argument(fmt::format("not a number: {}", text));
  return number;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  if (text == "none") return words;
  for (const auto part : text | std::views::split(',')) words.emplace_back(part.begin(), part.end());
  return words;
}

std::vector<int> numbers_of(std::string_view text) {
  std::vector<int> numbers;
  for (const std::string& word : words_of(text)) numbers.push_back(static_cast<int>(number_of(word)));
  return numbers;
}

StoreKind store_kind_of(std::string_view name) {
  if (name == "memory") return StoreKind::memory;
  if (name == "sqlite") return StoreKind::sqlite;
  if (name == "shared") return StoreKind::shared;
  throw std::invalid_argument(fmt::format("no such store: {}", name));
}

Options parse(std::span<char*> arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view name = arguments[i];
    const auto value = [&]() -> std::string_view {
      if (++i >= arguments.size()) throw std::invalid_argument(fmt::format("{} needs a value", name));
      return arguments[i];
    };
    if (name == "--seed") {
      options.from = number_of(value());
      options.is_single = true;
    } else if (name == "--from") {
      options.from = number_of(value());
    } else if (name == "--seeds") {
      options.seeds = number_of(value());
    } else if (name == "--stride") {
      options.stride = number_of(value());
    } else if (name == "--bug") {
      options.run.bug = find_bug(value());
      if (options.run.bug == nullptr) throw std::invalid_argument(fmt::format("no such bug: {}", arguments[i]));
    } else if (name == "--store") {
      options.run.store = store_kind_of(value());
    } else if (name == "--goes-on") {
      options.run.goes_on = true;
    } else if (name == "--export") {
      options.run.export_folder = value();
    } else if (name == "--faults") {
      options.selection.faults = numbers_of(value());
    } else if (name == "--calls") {
      options.selection.calls = numbers_of(value());
    } else if (name == "--actors") {
      options.selection.actors = numbers_of(value());
    } else if (name == "--schedules") {
      options.selection.schedules = words_of(value());
    } else if (name == "--troubled") {
      options.selection.troubled = parse_duration(value()).value();
    } else if (name == "--json") {
      options.prints_json = true;
    } else if (name == "--shrink") {
      options.shrinks = true;
    } else if (name == "--twice") {
      options.runs_twice = true;
    } else if (name == "--stop-at-first") {
      options.stops_at_first = true;
    } else if (name == "--plan") {
      options.prints_plan = true;
    } else if (name == "--bugs") {
      options.lists_bugs = true;
    } else {
      throw std::invalid_argument(fmt::format("unknown option: {}", name));
    }
  }
  return options;
}

std::string shrunken_text(const Plan& plan, const Violation& violation, const Options& options) {
  const Shrunken shrunken = shrink(plan, violation, options.run);
  std::string others = options.run.bug == nullptr ? "" : fmt::format(" --bug {}", options.run.bug->name);
  if (options.run.store == StoreKind::sqlite) others += " --store sqlite";
  if (options.run.store == StoreKind::shared) others += " --store shared";
  return fmt::format("{} {}: {}\n{}repeat: simulate {}{}\n(after {} simulations)\n", shrunken.violation.invariant,
                     shrunken.violation.schedule, shrunken.violation.message, to_text(shrunken.plan),
                     options_text(shrunken.plan), others, shrunken.tries);
}

// Two runs of one plan must not differ in anything that was written.
void run_again(const Plan& plan, const Options& options, Outcome& outcome) {
  const std::uint64_t again = simulate(plan, options.run).trace;
  if (again != outcome.trace)
    outcome.findings.violation("determinism", "", "the traces {:x} and {:x} differ", outcome.trace, again);
}

int run_one(const Options& options) {
  const Plan plan = select(draw_plan(options.from, options.run.store), options.selection);
  if (options.prints_plan) fmt::print("{}", to_text(plan));
  Outcome outcome = simulate(plan, options.run);
  if (options.runs_twice) run_again(plan, options, outcome);
  fmt::print("seed {}: trace {:x}, {} writes, {} decisions, {} launches\n", options.from, outcome.trace, outcome.writes,
             outcome.decisions, outcome.launches);
  for (const Violation& violation : outcome.findings.violations())
    fmt::print("{} {}: {}\n", violation.invariant, violation.schedule, violation.message);
  if (outcome.findings.violations().empty()) return EXIT_SUCCESS;
  if (options.shrinks) fmt::print("{}", shrunken_text(plan, outcome.findings.violations().front(), options));
  return EXIT_FAILURE;
}

int run_many(const Options& options) {
  Summary summary;
  for (std::uint64_t i = 0; i < options.seeds; ++i) {
    const std::uint64_t seed = options.from + i * options.stride;
    const Plan plan = draw_plan(seed, options.run.store);
    Outcome outcome = simulate(plan, options.run);
    if (options.runs_twice) run_again(plan, options, outcome);
    summary.add(seed, outcome);
    if (outcome.findings.violations().empty()) continue;
    // One that is small enough to read is worth more than many.
    if (options.shrinks && summary.failures.size() == 1)
      summary.failures.back().shrunken = shrunken_text(plan, outcome.findings.violations().front(), options);
    if (options.stops_at_first) break;
  }
  if (options.prints_json) {
    fmt::print("{}\n", to_json(summary));
  } else {
    for (const Summary::Failure& failure : summary.failures)
      fmt::print("seed {}: {} {}: {}\n{}", failure.seed, failure.violation.invariant, failure.violation.schedule,
                 failure.violation.message, failure.shrunken);
    fmt::print("{} seeds, {} failed, {} decisions, {} launches\n", summary.seeds, summary.failures.size(),
               summary.decisions, summary.launches);
  }
  return summary.failures.empty() ? EXIT_SUCCESS : EXIT_FAILURE;
}

int list_bugs(StoreKind store) {
  for (const Bug& bug : bugs_for(store)) fmt::print("{}\t{}\n", bug.name, bug.what);
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) try {
  const Options options = parse(std::span{argv, static_cast<std::size_t>(argc)}.subspan(1));
  if (options.lists_bugs) return list_bugs(options.run.store);
  return options.is_single ? run_one(options) : run_many(options);
} catch (const std::exception& problem) {
  fmt::print(stderr, "simulate: {}\n", problem.what());
  return 2;
}
