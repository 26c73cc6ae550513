#pragma once

#include "ports/query_store.hpp"
#include "service/item_facts.hpp"
#include "service/queue_facts.hpp"
#include "service/run_ids.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carillon {

/// What a run waits for that is not running.
struct WaitReason {
  enum class Kind {
    slot,          // a run that holds the slot, or the end of a pause
    worker,        // a worker that claims from its queue
    no_worker,     // the same, but there is none
    paused_queue,  // that its queue is resumed
    retry,         // the time of its next attempt
  };
  Kind kind = Kind::worker;
  std::string queue{};             // as it is called in its namespace
  std::optional<Instant> until{};  // of a retry
  std::string paused_by{};         // who paused the queue; may be empty
};

[[nodiscard]] std::string_view to_text(WaitReason::Kind kind);

/// A run, or a decision that did not lead to one, with everything that is shown of it.
struct RunAnswer {
  RunRecordRow record;
  std::string id;                      // `r-…`
  std::string name;                    // `<schedule id>@…`
  std::string error;                   // of its newest attempt that failed
  std::optional<Duration> late{};      // first launch after due
  std::optional<Duration> duration{};  // first launch to end
  std::string why;                     // one sentence
  std::optional<WaitReason> waits_for{};
  std::optional<ItemFacts> items{};        // only if it goes through items and has told of them
  std::optional<std::int64_t> log_size{};  // bytes that its newest attempt has printed; only where one run is asked for

  [[nodiscard]] bool has_run() const { return record.outcome == DecisionOutcome::started; }
};

[[nodiscard]] RunAnswer run_answer(RunRecordRow record, const RunIds& ids, const QueueFacts& queues = {});

/// Adds what only this server knows: how far a run is that is under way here.
void add_progress(RunAnswer& answer, const ServiceParts& parts);

/// Whether the answer about a run depends on its queue.
[[nodiscard]] bool waits_in_queue(const RunRecordRow& record);
/// The answers for these records, with what the runs wait for. Records that are none are left out.
[[nodiscard]] Result<std::vector<RunAnswer>> run_answers(std::vector<std::optional<RunRecordRow>> records,
                                                         const ServiceParts& parts);

/// The name of a queue as it is called in the namespace.
[[nodiscard]] std::string shown_queue(std::string_view name_space, std::string_view stored);

/// What a skip reason means, as part of a sentence: "a run of the schedule was active and overlap is `skip`".
[[nodiscard]] std::string_view meaning_of(SkipReason reason);

}  // namespace carillon
