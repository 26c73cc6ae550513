#pragma once

#include "pipeline/result.hpp"
#include "pipeline/run_plan.hpp"

#include <boost/json/object.hpp>

#include <cstddef>
#include <map>

namespace carillon::pipeline {

/// Results in memory, for runs that are small enough. Its functions refer to it: it must stay where it is.
class KeptResults {
 public:
  void keep(std::size_t place, ItemResult result) { results_.insert_or_assign(place, std::move(result)); }
  void each(const std::function<void(const ItemResult&)>& use) const {
    for (const auto& [place, result] : results_) use(result);
  }
  /// What a run needs, with its results kept here.
  [[nodiscard]] RunAccess access(OpenInput open_input);

 private:
  std::map<std::size_t, ItemResult> results_;
};

/// `summary` of a run: all items, those that succeeded and failed, and the fields of the output.
[[nodiscard]] boost::json::object write_summary(const RunOutcome& outcome);
/// `executionStats`: the same by questions of the map.
[[nodiscard]] boost::json::object write_statistics(const RunOutcome& outcome);

/// A finished run as the document that users of the original executor know: `success`, `output` with `results`,
/// `formattedOutput` and `summary`, `executionStats`, `error`, `filterResult`. `phase` says where a run broke off.
[[nodiscard]] boost::json::object write_run(const PipelineRun& run, const EachResult& each);

}  // namespace carillon::pipeline
