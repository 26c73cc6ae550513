#pragma once

#include "conformance/model.hpp"
#include "conformance/store_under_test.hpp"

#include <fmt/format.h>

#include <map>
#include <stdexcept>
#include <utility>

namespace carillon::conformance {

inline constexpr std::size_t all = 1'000'000;

template <typename... Args>
void expect(bool is_equal, fmt::format_string<Args...> what, Args&&... args) {
  if (!is_equal) throw std::runtime_error{fmt::format(what, std::forward<Args>(args)...)};
}

template <typename Number>
std::int64_t number(Number value) {
  return static_cast<std::int64_t>(value);
}

/// What is not left open is equal.
[[nodiscard]] bool is_equal(const QueuedRun& left, const QueuedRun& right);

/// Throws if a view differs from what it should be.
void compare_view(const ScheduleView& view, const Model::Schedule& expected);

/// Reads everything a store can tell and holds it against the model. Throws std::runtime_error at the first
/// difference.
class ModelComparison {
 public:
  ModelComparison(Model& model, StoreUnderTest& store) : model_{model}, store_{store} {}

  void compare();

 private:
  void compare_schedules();
  void compare_due(ServerShare share, ZoneEdition rules);
  void compare_next_wake(const DueSchedules& due, ServerShare share, ZoneEdition rules);
  void compare_views(const std::vector<ScheduleView>& views, const std::vector<const Model::Schedule*>& expected,
                     const char* where);
  void compare_definitions(const Model::Schedule& expected);
  void compare_runs();
  void compare_sessions();
  void compare_ledger();
  /// The feed tells every change once, in order. The seqs of lines are known when the ledger has been compared.
  void compare_feed();
  void compare_line(const LedgerRecord& record, Model::Line& expected);
  void compare_head(LineHead head, LineHead& expected, Uid uid);

  Model& model_;
  StoreUnderTest& store_;
  std::map<Uid, std::int64_t> incarnations_;
  int count_ = 0;  // of comparisons
};

}  // namespace carillon::conformance
