#pragma once

#include "base/instant.hpp"
#include "calendar/spec.hpp"
#include "definitions/policies.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace carillon::pipeline {

/// One row of the input: its fields in their order.
using Item = boost::json::object;

/// A value that every item and every prompt may use.
struct Parameter {
  std::string name;
  boost::json::value value;
  friend bool operator==(const Parameter&, const Parameter&) = default;
};

/// A prompt: its text, or the name of the file that holds it (`promptFile`).
struct Prompt {
  bool is_file = false;
  std::string text;
  friend bool operator==(const Prompt&, const Prompt&) = default;
};

/// What map, job, an AI filter and an AI reduction have in common: how a provider is asked.
struct Asking {
  Prompt prompt;
  std::optional<std::string> skill;
  std::vector<std::string> output;  // the fields an answer has; empty: the answer is text
  std::string model;                // a template over the item; empty: the provider's own
  std::optional<std::string> provider;
  std::optional<Duration> timeout;
  bool is_corrected = false;  // `correct: true`: an answer that cannot be read is asked for once more
  friend bool operator==(const Asking&, const Asking&) = default;
};

struct CsvSource {
  std::string path;
  std::string delimiter{","};
  friend bool operator==(const CsvSource&, const CsvSource&) = default;
};

/// Items that a provider makes up. Without approval such a pipeline is refused, since nobody watches it.
struct GeneratedSource {
  std::string prompt;  // no template
  std::vector<std::string> schema;
  std::string model;
  std::optional<std::string> provider;
  bool is_approved = false;
  friend bool operator==(const GeneratedSource&, const GeneratedSource&) = default;
};

struct Input {
  std::variant<std::vector<Item>, CsvSource, GeneratedSource> source;
  std::optional<std::int64_t> limit;  // applied before the filter
  std::vector<Parameter> parameters;  // below the fields of each item
  friend bool operator==(const Input&, const Input&) = default;
};

enum class FilterOperator {
  equals,
  not_equals,
  in,
  not_in,
  contains,
  not_contains,
  greater_than,
  less_than,
  gte,
  lte,
  matches,
};

/// One condition on a field, which may be a path such as `author.name`. A missing or null field fulfils none.
struct FilterRule {
  std::string field;
  FilterOperator how = FilterOperator::equals;
  std::optional<boost::json::value> value;  // left out is not the same as null: it equals nothing, and is no number
  std::vector<boost::json::value> values;   // of in and not_in
  std::string pattern;                      // of matches
  friend bool operator==(const FilterRule&, const FilterRule&) = default;
};

struct RuleFilter {
  bool is_any = false;  // one rule suffices
  std::vector<FilterRule> rules;
  friend bool operator==(const RuleFilter&, const RuleFilter&) = default;
};

struct AiFilter {
  Asking asking;
  std::int64_t parallel = 5;
  friend bool operator==(const AiFilter&, const AiFilter&) = default;
};

/// Which items stay: by rules, by answers, or by both. With `or`, only what the rules exclude is asked about.
struct Filter {
  enum class Combination { both, either };
  std::optional<RuleFilter> rule;
  std::optional<AiFilter> ai;
  Combination combination = Combination::both;
  friend bool operator==(const Filter&, const Filter&) = default;
};

struct Map {
  Asking asking;
  std::int64_t parallel = 5;
  std::int64_t batch_size = 1;  // items per question
  friend bool operator==(const Map&, const Map&) = default;
};

enum class ReduceType { list, table, json, csv, text, ai };

struct Reduce {
  ReduceType type = ReduceType::list;
  std::optional<Asking> asking;  // of `ai`
  friend bool operator==(const Reduce&, const Reduce&) = default;
};

/// Items in, one question each, one result out.
struct MapReduce {
  Input input;
  std::optional<Filter> filter;
  Map map;
  Reduce reduce;
  friend bool operator==(const MapReduce&, const MapReduce&) = default;
};

/// One question and nothing else.
struct Job {
  Asking asking;
  std::vector<Parameter> parameters;
  friend bool operator==(const Job&, const Job&) = default;
};

/// How many items may fail without failing the run.
struct Tolerance {
  std::int64_t count = 0;
  std::optional<double> percent;  // of all items; counts instead of `count`
  friend bool operator==(const Tolerance&, const Tolerance&) = default;
};

/// What one run may spend, retries included; none: as much as it takes.
struct Budget {
  std::optional<std::int64_t> calls;
  std::optional<std::int64_t> tokens;
  std::optional<double> cost;  // in the currency of the price table
  friend bool operator==(const Budget&, const Budget&) = default;
};

/// The `schedule:` block. The schedule's id comes from the package's path.
struct PackageSchedule {
  Spec spec;
  bool enabled = true;
  Policies policies;
  friend bool operator==(const PackageSchedule&, const PackageSchedule&) = default;
};

/// A pipeline.yaml with all defaults filled in.
struct Pipeline {
  std::string name;
  std::string description;
  std::optional<std::string> working_directory;  // relative to the package
  std::optional<PackageSchedule> schedule;
  std::variant<MapReduce, Job> work;
  Tolerance tolerate;
  Budget budget;
  bool is_lenient = false;  // `compat: lenient`: texts in answers are converted, prose is guessed from
  friend bool operator==(const Pipeline&, const Pipeline&) = default;
};

}  // namespace carillon::pipeline
