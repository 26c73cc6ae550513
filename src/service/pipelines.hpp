#pragma once

#include "ports/pipeline_catalog.hpp"
#include "service/caller.hpp"
#include "service/parts.hpp"
#include "service/refusal.hpp"

#include <boost/json/value.hpp>

#include <cstddef>
#include <optional>
#include <vector>

namespace carillon {

struct PipelinePage {
  PipelineList list;
  std::optional<std::size_t> next{};
};

/// The pipelines of the watched folder, whose schedules are in the namespace `default`: who does not know that one
/// finds none. May be called from several threads.
class Pipelines {
 public:
  explicit Pipelines(const ServiceParts& parts) : parts_{parts} {}

  /// By path. A server without a folder of pipelines has none.
  [[nodiscard]] Served<PipelinePage> list(const Caller& caller, std::size_t from, std::size_t count_max);

  /// The faults of a package with the files that it names, `{"path": …}`, or of the text of a pipeline.yaml,
  /// `{"document": …}`. Nothing is asked of a provider, and nothing is changed.
  [[nodiscard]] Served<std::vector<PipelineFault>> validate(const Caller& caller, const boost::json::value& request);

 private:
  const ServiceParts& parts_;
};

}  // namespace carillon
