#pragma once

#include "calendar/lint/lint.hpp"
#include "definitions/lint_action.hpp"
#include "ports/clock.hpp"
#include "ports/item_store.hpp"
#include "ports/log_store.hpp"
#include "ports/pipeline_catalog.hpp"
#include "ports/run_progress.hpp"
#include "ports/store_ports.hpp"
#include "ports/zone_source.hpp"
#include "scheduling/schedule_commands.hpp"
#include "scheduling/shared_definitions.hpp"
#include "service/command_rules.hpp"
#include "service/run_ids.hpp"
#include "service/worker_presence.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace carillon {

/// What is wrong with the file that defines a schedule, which is given by its path below the watched folder. Called
/// from several threads; must not wait.
using SourceFindings = std::function<std::vector<Finding>(std::string_view file)>;
/// What is wrong with files that define no schedule in force, each a line for people. Called from several threads; must
/// not wait.
using BrokenFiles = std::function<std::vector<std::string>()>;

/// What the use cases work with. All of it must outlive them, and may be called from several threads.
struct ServiceParts {
  StorePorts store;
  LogStore& logs;
  ScheduleCommands& commands;
  SharedDefinitions& definitions;
  ZoneSource& zones;
  Clock& clock;
  const RunIds& run_ids;
  /// What seals the sessions of browsers, where the key of run ids lies in a store that others may read. Empty: that
  /// key lies in a private file, and is enough.
  std::string session_secret{};
  std::string default_timezone{"UTC"};
  std::int64_t run_capacity = 0;  // how many runs at a time this server performs itself; 0: it performs none
  bool is_store_shared = false;   // with other servers, and with workers that this one does not know
  CommandRules command_rules{};
  WorkerPresence* presence = nullptr;            // null: which queues have workers is not known here
  SecretRefusal secret_refusal{};                // none: not known here
  std::vector<std::string> workflow_clusters{};  // that workflows can be started on, by their names
  /// Whether the server watches a folder: pipelines lie in it, and what its files define is read-only for others.
  bool has_watched_folder = false;
  SourceFindings source_findings{};      // none: no files
  BrokenFiles broken_files{};            // none: no files
  ProgressSource* progress = nullptr;    // null: how far runs are is not known here
  ItemStore* items = nullptr;            // null: nothing here goes through items
  PipelineCatalog* pipelines = nullptr;  // null: there is no folder of pipelines
};

}  // namespace carillon
