#include "packages/project_store.hpp"

#include "base/quoted.hpp"
#include "files/private_file.hpp"

#include <system_error>
#include <utility>

namespace carillon::packages {

namespace fs = std::filesystem;

Result<fs::path> find_package_folder(const fs::path& name) {
  std::error_code error;
  fs::path path = fs::canonical(name, error);
  if (!error && fs::is_directory(path, error)) return path;
  Error missing = fail(ErrorCode::not_found, "the folder {} is not there", carillon::quoted(name.native())).error();
  missing.hint = "a folder with pipelines in it: NAME/pipeline.yaml";
  return std::unexpected(std::move(missing));
}

void ignore_in_version_control(const fs::path& store, Log& log) {
  const auto written = write_new_file(store / ".gitignore", "*\n");
  if (!written && written.error().code != ErrorCode::conflict)
    log.warn(".gitignore of the data folder was not written", {{"error", written.error().message}});
}

}  // namespace carillon::packages
