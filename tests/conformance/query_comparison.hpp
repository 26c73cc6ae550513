#pragma once

#include "conformance/model.hpp"
#include "conformance/store_under_test.hpp"

#include <functional>
#include <vector>

namespace carillon::conformance {

/// Holds what people are shown against the model. Throws std::runtime_error at the first difference.
class CatalogueComparison {
 public:
  CatalogueComparison(const Model& model, StoreUnderTest& store) : model_{model}, catalogue_{store.ports().queries} {}

  void compare();

 private:
  void compare_schedules();
  void compare_record(const ScheduleRecord& record, const Model::Schedule& expected);
  void compare_lists();
  using WantsSchedule = std::function<bool(const Model::Schedule&)>;
  void compare_list(const ScheduleFilter& filter, const WantsSchedule& wants, const char* what);
  void compare_waking();

  void compare_run_lists();
  using WantsRow = std::function<bool(const Model::Row&)>;
  void compare_run_list(RunFilter filter, const WantsRow& wants, const char* what);
  void compare_run_records();
  void compare_attempts(const RunRecordRow& record);
  void compare_names();
  void compare_decisions();
  void compare_queues();

  [[nodiscard]] std::string namespace_of(const Model::Row& row) const;
  [[nodiscard]] std::vector<const Model::Schedule*> in_order() const;

  const Model& model_;
  QueryStore& catalogue_;
};

}  // namespace carillon::conformance
