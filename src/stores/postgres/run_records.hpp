#pragma once

#include "base/error.hpp"
#include "engine/keys.hpp"
#include "ports/query_store.hpp"
#include "stores/postgres/ledger_rows.hpp"
#include "stores/postgres/schedule_views.hpp"
#include "stores/postgres/transaction.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace carillon::postgres {

/// What a walk through decisions is shown of each.
struct WalkedDecision {
  Seq seq{};
  Uid uid{};
  Instant at;
  Source source = Source::schedule;
  DecisionOutcome outcome = DecisionOutcome::waiting;
  std::optional<RunState> state;
  std::optional<Instant> queued_at;
  std::string queue;
  std::string name_space;  // of a job without a schedule
};

/// Visits decisions, newest first, of one schedule or of all, those before a seq. Looks at no more than
/// `look_count_max`: then it says where to go on. None: there are no more, or the visitor has had enough.
using DecisionVisit = std::function<Result<bool>(const WalkedDecision&)>;
[[nodiscard]] Result<std::optional<Seq>> walk_decisions(Transaction& transaction, std::optional<Uid> uid,
                                                        std::optional<Seq> before, std::size_t look_count_max,
                                                        const DecisionVisit& visit);

enum class RecordDetail { plain, attempts, attempts_and_result };
/// In the order of the seqs; none where there is no such decision.
[[nodiscard]] Result<std::vector<std::optional<RunRecordRow>>> read_run_rows(Transaction& transaction,
                                                                             std::span<const Seq> seqs,
                                                                             RecordDetail detail);

/// In the order of the uids; those that do not exist or are deleted are left out.
[[nodiscard]] Result<std::vector<ScheduleRecord>> read_schedule_records(Transaction& transaction,
                                                                        std::span<const Uid> uids);

}  // namespace carillon::postgres
