#pragma once

#include "base/error.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace carillon {

/// What is wrong with a file of a pipeline.
struct PipelineFault {
  std::string file{};      // below the folder of pipelines
  std::size_t line = 0;    // 0: it has no place
  std::size_t column = 0;  // the same
  std::string code{};
  std::string message{};
  std::string hint{};
  friend bool operator==(const PipelineFault&, const PipelineFault&) = default;
};

/// A package of the folder of pipelines, as its document says now.
struct PipelineEntry {
  std::string path{};  // of the package, below the folder
  std::string file{};  // its document
  std::string name{};  // empty: it has faults
  std::string description{};
  std::string schedule{};  // id; empty: it has none
  std::vector<PipelineFault> faults{};
};

struct PipelineList {
  std::vector<PipelineEntry> items;
  std::size_t total = 0;                // of all packages
  std::vector<PipelineFault> faults{};  // folders that cannot be read
};

/// The packages of a folder. Reads files each time it is asked. May be called from several threads.
class PipelineCatalog {
 public:
  virtual ~PipelineCatalog() = default;

  /// By path, `count_max` from the place `from` on.
  [[nodiscard]] virtual Result<PipelineList> list(std::size_t from, std::size_t count_max) = 0;
  /// All faults of a package, with those of the files that it names. Error `not_found` if there is no such package.
  [[nodiscard]] virtual Result<std::vector<PipelineFault>> check_package(const std::string& path) = 0;
};

}  // namespace carillon
