#pragma once

#include "base/error.hpp"
#include "cli/connection/local_server.hpp"
#include "cli/terminal/console.hpp"
#include "main/api_server.hpp"
#include "main/pipeline_folder_catalog.hpp"
#include "packages/file_faults.hpp"
#include "packages/package_folder.hpp"
#include "packages/watched_folder.hpp"
#include "ports/clock.hpp"
#include "ports/log.hpp"
#include "ports/zone_source.hpp"
#include "server/server.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace carillon {

/// The folder of `serve --watch` and `scheduler start`, from before there is a server until after it is gone.
class ServedFolder {
 public:
  /// Takes the folder's lock. To be called before the server is opened: whoever is refused has touched nothing. The
  /// path is without links.
  [[nodiscard]] static Result<std::unique_ptr<ServedFolder>> claim(const cli::ServeRequest& request,
                                                                   const cli::Console& console, ZoneSource& zones,
                                                                   Clock& clock, Log& log);

  /// What the API has to know of the folder.
  void describe_to(ApiOptions& options);

  /// Puts what the files say in force. Once. What is returned goes on with it when it is started, and ends before the
  /// server and the API do; it is stopped after the server, so that the last states are written.
  [[nodiscard]] Result<std::unique_ptr<packages::WatchedFolder>> open(Server& server, ApiServer& api);

  /// What was found, for people; each line ends with a line break.
  [[nodiscard]] std::string greeting() const;
  /// A schedule to show commands with; empty if there is none.
  [[nodiscard]] std::string example() const;
  [[nodiscard]] std::string faults() const;

 private:
  ServedFolder(packages::PackageFolder folder, packages::ClaimedFolder claimed, Duration grace, std::string timezone,
               Clock& clock, Log& log)
      : folder_{std::move(folder)},
        claimed_{std::move(claimed)},
        grace_{grace},
        clock_{clock},
        log_{log},
        catalog_{folder_.path(), std::move(timezone)} {}

  packages::PackageFolder folder_;
  std::optional<packages::ClaimedFolder> claimed_;  // until it is watched
  Duration grace_;
  Clock& clock_;
  Log& log_;
  packages::FileFaults faults_;
  PipelineFolderCatalog catalog_;
  packages::WatchedFolder::FirstRead first_;
};

}  // namespace carillon
