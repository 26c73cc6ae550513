#pragma once

#include "api/rest_world.hpp"
#include "scheduling/edition_context.hpp"
#include "stores/sqlite/sqlite_store.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace carillon::testing {

/// What the tests of damaged stores know about the store that they begin with.
struct PreparedStore {
  std::string admin;  // tokens
  std::string worker;
  std::string session;   // of a worker, which holds a run
  std::string held_run;  // ids
  std::string ended_run;
  std::string job;
};

/// The REST interface over a store file, without sockets.
class StoreWorld {
 public:
  StoreWorld(SqliteStore& store, ManualClock& clock);

  [[nodiscard]] http::Response ask(http::Method method, std::string target, const std::string& token,
                                   std::string body = {});
  [[nodiscard]] std::string issue(Role role);
  [[nodiscard]] EditionContext& context() { return context_; }

 private:
  SqliteStore& store_;
  FixedZoneSource zones_;
  SharedDefinitions definitions_;
  ScheduleCommands commands_;
  EditionContext context_;
  LogsInMemory logs_;
  RunIds run_ids_{RunIds::Key{7}};
  SilentLog log_;
  Application application_;
  rest::RestApi api_;
};

/// Fills an empty store, so that every table has a row of every kind.
[[nodiscard]] PreparedStore fill(SqliteStore& store, ManualClock& clock);

}  // namespace carillon::testing
