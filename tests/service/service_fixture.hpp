#pragma once

#include "document/document.hpp"
#include "scheduling/schedule_commands.hpp"
#include "scheduling/shared_definitions.hpp"
#include "service/access.hpp"
#include "service/backfills.hpp"
#include "service/pipelines.hpp"
#include "service/queries.hpp"
#include "service/runs.hpp"
#include "service/schedules.hpp"
#include "service/system.hpp"
#include "service/workers.hpp"
#include "stores/logs/file_log_store.hpp"
#include "stores/memory/memory_store.hpp"
#include "support/fixed_zone_source.hpp"
#include "support/manual_clock.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>

namespace carillon::testing {

/// All use cases over a store in memory.
class ServiceTest : public ::testing::Test {
 protected:
  ServiceTest() { must(commands_.adopt_zone_rules()); }

  template <typename T>
  static T must(Result<T> result) {
    if (!result) throw std::runtime_error{result.error().message};
    return *std::move(result);
  }
  static void must(Served<> served) {
    if (!served) throw std::runtime_error{served.error().message};
  }
  template <typename T>
  static T must(Served<T> served) {
    if (!served) throw std::runtime_error{served.error().message};
    return *std::move(served);
  }
  static boost::json::value json(std::string_view text) { return must(parse_json(text)); }

  static Caller admin() { return {.actor = "token:adminadm", .address = "127.0.0.1", .role = Role::admin}; }
  static Caller bound_to(std::string_view name_space) {
    Caller caller{.actor = "token:boundbou", .address = "127.0.0.1", .role = Role::admin};
    caller.name_space = NamespaceId::parse(name_space).value();
    return caller;
  }
  /// Those of a server over the same store that has something of its own.
  ServiceParts parts_with(ScheduleCommands& commands, SharedDefinitions& definitions, ZoneSource& zones) {
    return {.store = store_.ports(),
            .logs = *logs_,
            .commands = commands,
            .definitions = definitions,
            .zones = zones,
            .clock = clock_,
            .run_ids = run_ids_};
  }
  ScheduleAnswer create(std::string_view document) { return must(schedules_.create(admin(), json(document), {})); }

  ManualClock clock_{parse_instant("2026-06-01T12:00:00Z").value()};
  FixedZoneSource zones_;
  MemoryStore store_{clock_};
  SharedDefinitions definitions_{store_, zones_};
  ScheduleCommands commands_{store_, store_, definitions_, [] {}};
  TemporaryFolder folder_;
  std::unique_ptr<FileLogStore> logs_{FileLogStore::open(folder_.path()).value()};
  RunIds run_ids_{RunIds::Key{7}};
  ServiceParts parts_ = parts_with(commands_, definitions_, zones_);
  Access access_{parts_};
  Schedules schedules_{parts_};
  Queries queries_{parts_, schedules_};
  Backfills backfills_{parts_, schedules_};
  Runs runs_{parts_, schedules_};
  Workers workers_{parts_};
  Shutdown shutdown_;
  System system_{parts_, shutdown_};
};

}  // namespace carillon::testing
