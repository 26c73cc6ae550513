#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "engine/keys.hpp"
#include "engine/run_name.hpp"
#include "ports/query_store.hpp"
#include "stores/sqlite/connection.hpp"
#include "stores/sqlite/decision_walk.hpp"
#include "stores/sqlite/names.hpp"
#include "stores/sqlite/run_records.hpp"
#include "stores/sqlite/statement.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace carillon::sqlite {

/// Finds what was decided about nominal times. There is no index by these: decisions are walked back to the time.
class DecisionSearch {
 public:
  DecisionSearch(Connection& connection, DecisionWalk& walk, RunRecords& records);

  [[nodiscard]] Result<std::optional<Seq>> find_run(const std::string& name_space, const std::string& name);
  [[nodiscard]] Result<PastDecisions> read(Uid uid, Instant from, Instant to, std::size_t count_max, Names& names);
  [[nodiscard]] Result<std::vector<ChangeLine>> read_revisions(Uid uid, const RevisionListRequest& request,
                                                               Names& names);

 private:
  [[nodiscard]] Result<std::optional<Seq>> find_job(const std::string& name_space, const std::string& name);
  [[nodiscard]] Result<std::optional<Seq>> find_run_of(Uid uid, const RunNameParts& name);
  [[nodiscard]] Result<std::string> tail_of(Seq run);
  [[nodiscard]] Result<bool> may_be_ahead(Uid uid);

  DecisionWalk& walk_;
  RunRecords& records_;
  Statement job_;
  Statement bearers_;
  Statement flags_;
  Statement tail_;
  Statement ranges_;
  Statement voids_;
  Statement changes_;
  Statement revisions_;
};

}  // namespace carillon::sqlite
