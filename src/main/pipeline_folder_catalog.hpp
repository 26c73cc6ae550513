#pragma once

#include "executors/pipeline/package_files.hpp"
#include "packages/package_folder.hpp"
#include "ports/pipeline_catalog.hpp"

#include <string>

namespace carillon {

/// The packages of a watched folder.
class PipelineFolderCatalog final : public PipelineCatalog {
 public:
  /// `default_timezone` is that of schedules in packages that name none.
  PipelineFolderCatalog(std::filesystem::path folder, std::string default_timezone)
      : folder_{std::move(folder)}, default_timezone_{std::move(default_timezone)} {}

  [[nodiscard]] Result<PipelineList> list(std::size_t from, std::size_t count_max) override;
  [[nodiscard]] Result<std::vector<PipelineFault>> check_package(const std::string& path) override;

 private:
  [[nodiscard]] PipelineEntry entry_of(const std::string& file) const;

  std::filesystem::path folder_;
  std::string default_timezone_;
};

}  // namespace carillon
