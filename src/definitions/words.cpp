#include "definitions/words.hpp"

namespace carillon {
namespace {

using Word = std::string_view;

constexpr std::array<Word, 7> overlap_policies{"skip",         "buffer_one",      "buffer_latest", "buffer_all",
                                               "cancel_other", "terminate_other", "allow_all"};
constexpr std::array<Word, 3> catchup_policies{"latest", "all", "none"};
constexpr std::array<Word, 3> backoffs{"fixed", "linear", "exponential"};
constexpr std::array<Word, 2> pause_missed{"skip", "buffer"};
constexpr std::array<Word, 5> schedule_statuses{"active", "paused", "disabled", "done", "dead"};
constexpr std::array<Word, 3> activities{"idle", "running", "error"};
constexpr std::array<Word, 10> run_states{"waiting", "queued",    "running",   "retrying", "succeeded",
                                          "failed",  "timed_out", "cancelled", "lost",     "expired"};
constexpr std::array<Word, 8> attempt_states{"claimed",   "launched",  "succeeded", "failed",
                                             "timed_out", "cancelled", "lost",      "released"};
constexpr std::array<Word, 12> skip_reasons{"overlap", "buffer_full", "superseded", "missed",    "quota", "paused",
                                            "deleted", "condition",   "upstream",   "exhausted", "clock", "outage"};
constexpr std::array<Word, 4> outage_causes{"down", "halted", "clock", "store"};
constexpr std::array<Word, 6> sources{"schedule", "catchup", "trigger", "backfill", "chain", "adhoc"};
constexpr std::array<Word, 3> decision_outcomes{"waiting", "started", "skipped"};
constexpr std::array<Word, 8> change_kinds{"created", "updated",  "paused",  "resumed",
                                           "enabled", "disabled", "deleted", "reset"};
constexpr std::array<Word, 2> on_owner_loss{"kill", "adopt"};
constexpr std::array<Word, 4> backfill_states{"running", "paused", "completed", "cancelled"};
constexpr std::array<Word, 2> backfill_orders{"oldest_first", "newest_first"};
constexpr std::array<Word, 3> reprocess{"missing", "failed", "all"};

}  // namespace

template <>
std::span<const Word> words_of<OverlapPolicy>() {
  return overlap_policies;
}
template <>
std::span<const Word> words_of<CatchupPolicy>() {
  return catchup_policies;
}
template <>
std::span<const Word> words_of<Backoff>() {
  return backoffs;
}
template <>
std::span<const Word> words_of<PauseMissed>() {
  return pause_missed;
}
template <>
std::span<const Word> words_of<ScheduleStatus>() {
  return schedule_statuses;
}
template <>
std::span<const Word> words_of<Activity>() {
  return activities;
}
template <>
std::span<const Word> words_of<RunState>() {
  return run_states;
}
template <>
std::span<const Word> words_of<AttemptState>() {
  return attempt_states;
}
template <>
std::span<const Word> words_of<SkipReason>() {
  return skip_reasons;
}
template <>
std::span<const Word> words_of<OutageCause>() {
  return outage_causes;
}
template <>
std::span<const Word> words_of<Source>() {
  return sources;
}
template <>
std::span<const Word> words_of<DecisionOutcome>() {
  return decision_outcomes;
}
template <>
std::span<const Word> words_of<ChangeKind>() {
  return change_kinds;
}
template <>
std::span<const Word> words_of<OnOwnerLoss>() {
  return on_owner_loss;
}

template <>
std::span<const Word> words_of<BackfillState>() {
  return backfill_states;
}
template <>
std::span<const Word> words_of<BackfillOrder>() {
  return backfill_orders;
}
template <>
std::span<const Word> words_of<Reprocess>() {
  return reprocess;
}

std::array<WordList, 17> all_words() {
  return {{{"OverlapPolicy", overlap_policies},
           {"CatchupPolicy", catchup_policies},
           {"Backoff", backoffs},
           {"PauseMissed", pause_missed},
           {"ScheduleStatus", schedule_statuses},
           {"Activity", activities},
           {"RunState", run_states},
           {"AttemptState", attempt_states},
           {"SkipReason", skip_reasons},
           {"OutageCause", outage_causes},
           {"Source", sources},
           {"DecisionOutcome", decision_outcomes},
           {"ChangeKind", change_kinds},
           {"OnOwnerLoss", on_owner_loss},
           {"BackfillState", backfill_states},
           {"BackfillOrder", backfill_orders},
           {"Reprocess", reprocess}}};
}

}  // namespace carillon
