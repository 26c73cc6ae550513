#pragma once

#include "api/temporal/settings.hpp"
#include "base/error.hpp"
#include "executors/temporal/cluster_settings.hpp"

#include <string>
#include <vector>

namespace carillon {

/// The file of `--temporal`: what this server is to clients of Temporal, and the clusters it starts workflows on.
struct TemporalFile {
  temporal::Settings settings;
  std::vector<workflows::ClusterSettings> clusters;
};

/// Reads it; without a file nothing is done for workflows. An error says where the fault is.
[[nodiscard]] Result<TemporalFile> read_temporal_file(const std::string& file);

}  // namespace carillon
