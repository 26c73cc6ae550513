#pragma once

#include "base/error.hpp"
#include "engine/keys.hpp"
#include "ports/retention.hpp"
#include "stores/sqlite/connection.hpp"
#include "stores/sqlite/statement.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace carillon::sqlite {

/// Reads and deletes what is past.
class Forgetting {
 public:
  explicit Forgetting(Connection& connection);

  [[nodiscard]] Result<std::vector<RetentionCandidate>> read_lines(Seq after, std::size_t count_max);
  [[nodiscard]] Result<PrunableRuns> read_prunable_runs(Uid uid, std::int64_t keep);
  [[nodiscard]] Result<> forget_details(Uid uid, const PrunableRuns& beyond);
  [[nodiscard]] Result<> forget_line(Seq seq);

 private:
  [[nodiscard]] Result<Seq> last_success_of(Uid uid);

  Statement decisions_;
  Statement attempts_;
  Statement ranges_;
  Statement voids_;
  Statement newest_;
  Statement chained_;
  Statement mark_;
  Statement drop_result_;
  Statement old_decision_;
  Statement body_;
  Statement drop_decision_;
  Statement drop_job_;
  Statement drop_extra_;
  Statement drop_past_;
  Statement drop_attempt_;
  Statement drop_range_;
  Statement drop_void_;
};

}  // namespace carillon::sqlite
