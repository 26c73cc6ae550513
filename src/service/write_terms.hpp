#pragma once

#include "ports/command_metadata.hpp"
#include "ports/idempotency_store.hpp"
#include "ports/query_store.hpp"
#include "scheduling/scheduling.hpp"
#include "service/caller.hpp"
#include "service/refusal.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carillon {

/// What must hold of the schedule for a change to be made.
struct Preconditions {
  bool must_exist = false;
  bool must_be_new = false;
  std::optional<std::vector<std::string>> any_of{};  // its revision has one of these tags
  std::vector<std::string> none_of{};                // and none of these

  [[nodiscard]] bool is_empty() const { return !must_exist && !must_be_new && !any_of && none_of.empty(); }
};

/// The conditions and options of a change.
struct WriteTerms {
  Preconditions when{};
  std::optional<IdempotencyKey> key{};          // remembered with the change
  bool is_dry_run = false;                      // nothing is written; the answer says what would be
  Continuing continuing = Continuing::allowed;  // of a creation
  std::optional<Seq> dead_letter{};             // what is started is its retry: it is none any more
};

/// What is written with a change: its audit entry, and the key of its request if it has one.
[[nodiscard]] CommandMetadata attached_to(const Caller& caller, std::string operation, std::string name_space,
                                          std::string target, const WriteTerms& terms);
[[nodiscard]] CommandMetadata attached_to(const Caller& caller, std::string operation, const ScheduleKey& key,
                                          const WriteTerms& terms);

/// Names a definition of a schedule: another one after every change of it, and never the same again, also not for a
/// schedule that is created under the id of a deleted one.
[[nodiscard]] std::string revision_tag(const ScheduleState& state);

/// Refused as stale if the preconditions do not hold. `now` is null if there is no such schedule.
[[nodiscard]] Served<> check(const Preconditions& when, const ScheduleRecord* now, std::string_view id);

/// The revision that must still be there when the change is written, if there are preconditions.
[[nodiscard]] std::optional<KnownRevision> known_by(const WriteTerms& terms, const ScheduleRecord& now);

}  // namespace carillon
