#pragma once

#include "engine/run_name.hpp"
#include "ports/item_store.hpp"
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
/// Which dead letters to list, newest first.
struct DeadLetterQuery {
  std::optional<std::string> name_space{};
  std::string queue{};  // as users call it; empty: any
  std::optional<Seq> before{};
  std::size_t count_max = 50;
};

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
  /// Starts the run's occurrence once more, as a trigger with its nominal time and payload; a job without a schedule is
  /// queued once more as it was. With `failed_items` the new
  /// run begins with what this one was answered, and asks only for the rest: refused if nothing is left to ask, or the
  /// answers are no longer kept.
  [[nodiscard]] Served<TriggerAnswer> retry(const Caller& caller, const std::string& id,
                                            const std::optional<std::string>& name_space, const WriteTerms& terms,
                                            Retry how = Retry::whole);
  /// What became of the items of a pipeline's run: while it runs those that have a result so far. Refused as gone if
  /// they are no longer kept, as not_found (`no_items`) if it is no run of a pipeline.
  [[nodiscard]] Served<ItemPage> items(const Caller& caller, const std::string& id,
                                       const std::optional<std::string>& name_space, const ItemQuery& query);
  [[nodiscard]] Served<LogAnswer> log(const Caller& caller, const std::string& id,
                                      const std::optional<std::string>& name_space, const LogQuery& query);

  /// Queues a job without a schedule. `name_space` is that of the address, if it names one.
  [[nodiscard]] Served<RunAnswer> enqueue(const Caller& caller, const boost::json::value& document,
                                          const WriteTerms& terms, const std::optional<std::string>& name_space = {});

  /// Runs that were given up and wait for a person: lost too often in a row, or failed in a queue that keeps such runs.
  /// A page may be short although more follow: `next` tells.
  [[nodiscard]] Served<RunPage> list_dead_letters(const Caller& caller, const DeadLetterQuery& query);
  /// Starts what a dead letter was about once more, as a new run, which is returned. The letter is then dealt with.
  [[nodiscard]] Served<RunAnswer> retry_dead_letter(const Caller& caller, const std::string& id,
                                                    const std::optional<std::string>& name_space,
                                                    const WriteTerms& terms);
  /// The run stays in the history.
  [[nodiscard]] Served<> discard_dead_letter(const Caller& caller, const std::string& id,
                                             const std::optional<std::string>& name_space, const WriteTerms& terms);

  /// The run of a row of the ledger.
  [[nodiscard]] Served<RunAnswer> read(const Caller& caller, Seq run);

 private:
  [[nodiscard]] Served<RunRecordRow> find(const Caller& caller, const std::string& id,
                                          const std::optional<std::string>& name_space);
  /// Bytes that the newest attempt has printed; none if it has not begun, or its log is no longer kept.
  [[nodiscard]] std::optional<std::int64_t> log_size_of(const RunRecordRow& record);
  /// The path of the pipeline that a run performs; none if it performs something else.
  [[nodiscard]] Served<std::optional<std::string>> package_of(const RunRecordRow& record);
  [[nodiscard]] Served<> expect_answers(const RunRecordRow& record, const std::string& id);
  [[nodiscard]] Served<> cancel_job(const Caller& caller, const RunRecordRow& record, const WriteTerms& terms);

  // dead_letters.cpp
  [[nodiscard]] Served<RunRecordRow> find_dead_letter(const Caller& caller, const std::string& id,
                                                      const std::optional<std::string>& name_space);
  [[nodiscard]] Served<RunAnswer> queue_again(const Caller& caller, const RunRecordRow& record,
                                              const WriteTerms& terms);
  /// Of a job without a schedule.
  [[nodiscard]] static std::string new_job_name();

  const ServiceParts& parts_;
  Schedules& schedules_;
};

}  // namespace carillon
