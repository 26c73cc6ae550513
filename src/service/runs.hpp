#pragma once

#include "ports/log_store.hpp"
#include "service/caller.hpp"
#include "service/parts.hpp"
#include "service/run_answer.hpp"
#include "service/run_outcomes.hpp"
#include "service/schedules.hpp"
#include "service/write_terms.hpp"

#include <optional>
#include <string>
#include <vector>

namespace carillon {

struct RunPage {
  std::vector<RunAnswer> items;
  std::optional<Seq> next{};
};

/// Which part of a log is read.
struct LogQuery {
  std::optional<std::int64_t> attempt{};  // none: the newest
  std::int64_t offset = 0;
  std::optional<std::int64_t> tail{};  // bytes from the end, instead of an offset
  std::size_t count_max = 0;
};

struct LogAnswer {
  LogPage page;
  std::int64_t attempt = 0;
  std::int64_t offset = 0;  // of the first byte
};

/// Runs: listing, cancelling and retrying them, their logs, and jobs without a schedule. A caller that does not know
/// the namespace of a run is refused with not_found. May be called from several threads.
class Runs {
 public:
  Runs(const ServiceParts& parts, Schedules& schedules) : parts_{parts}, schedules_{schedules} {}

  /// Newest first. A page may be short although more runs follow: `next` tells.
  [[nodiscard]] Served<RunPage> list(const Caller& caller, RunListRequest request);
  [[nodiscard]] Served<RunPage> list_of(const Caller& caller, const ScheduleName& name, RunListRequest request);
  /// What became of the starts decided in [from, to), counted by stretches of time. Of more than `outcome_count_max`
  /// only the newest are counted, and the answer says so.
  [[nodiscard]] Served<OutcomesAnswer> outcomes(const Caller& caller, const std::optional<std::string>& name_space,
                                                Instant from, Instant to, Duration bucket);
  /// By id, or by name in a namespace.
  [[nodiscard]] Served<RunAnswer> get(const Caller& caller, const std::string& id,
                                      const std::optional<std::string>& name_space);
  /// Ends a run that is waiting or queued; asks the worker of a running one to stop it. Refused as ended if the run has
  /// ended.
  [[nodiscard]] Served<RunAnswer> cancel(const Caller& caller, const std::string& id,
                                         const std::optional<std::string>& name_space, const WriteTerms& terms);
  /// Starts the run's occurrence once more, as a trigger with its nominal time and payload.
  [[nodiscard]] Served<TriggerAnswer> retry(const Caller& caller, const std::string& id,
                                            const std::optional<std::string>& name_space, const WriteTerms& terms);
  [[nodiscard]] Served<LogAnswer> log(const Caller& caller, const std::string& id,
                                      const std::optional<std::string>& name_space, const LogQuery& query);

  /// Queues a job without a schedule. `name_space` is that of the address, if it names one.
  [[nodiscard]] Served<RunAnswer> enqueue(const Caller& caller, const boost::json::value& document,
                                          const WriteTerms& terms, const std::optional<std::string>& name_space = {});

  /// The run of a row of the ledger.
  [[nodiscard]] Served<RunAnswer> read(const Caller& caller, Seq run);

 private:
  [[nodiscard]] Served<RunRecordRow> find(const Caller& caller, const std::string& id,
                                          const std::optional<std::string>& name_space);
  /// Bytes that the newest attempt has printed; none if it has not begun, or its log is no longer kept.
  [[nodiscard]] std::optional<std::int64_t> log_size_of(const RunRecordRow& record);
  [[nodiscard]] Served<> cancel_job(const Caller& caller, const RunRecordRow& record, const WriteTerms& terms);

  const ServiceParts& parts_;
  Schedules& schedules_;
};

}  // namespace carillon
