#pragma once

#include "conformance/model.hpp"
#include "conformance/store_under_test.hpp"

#include <map>

namespace carillon::conformance {

/// Reads everything a store can tell and holds it against the model. Throws std::runtime_error at the first
/// difference.
class ModelComparison {
 public:
  ModelComparison(Model& model, StoreUnderTest& store) : model_{model}, store_{store} {}

  void compare();

 private:
  void compare_schedules();
  void compare_due(ServerShare share, ZoneEdition rules);
  void compare_next_wake(const Due& due, ServerShare share, ZoneEdition rules);
  void compare_views(const std::vector<ScheduleView>& views, const std::vector<const Model::Schedule*>& expected,
                     const char* where);
  void compare_view(const ScheduleView& view, const Model::Schedule& expected);
  void compare_definitions(const Model::Schedule& expected);
  void compare_runs();
  void compare_sessions();
  void compare_ledger();
  void compare_line(const LedgerRecord& record, Model::Line& expected);
  void compare_head(LineHead head, LineHead& expected, Uid uid);

  Model& model_;
  StoreUnderTest& store_;
  std::map<Uid, std::int64_t> incarnations_;
};

}  // namespace carillon::conformance
