#pragma once

#include "api/temporal/errors.hpp"
#include "api/temporal/messages.hpp"
#include "api/temporal/settings.hpp"
#include "definitions/schedule_document.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace carillon::temporal {

/// A definition as a client of Temporal sends it, beside the id.
struct ScheduleRequest {
  schedule_pb::Schedule schedule{};
  std::optional<common_pb::Memo> memo{};                           // none: as it was
  std::optional<common_pb::SearchAttributes> search_attributes{};  // none: as they were
};

/// What is kept of it, and what it becomes.
struct TranslatedSchedule {
  boost::json::object document;  // canonical; without id and namespace
  bool is_paused = false;        // it is to be
  std::string notes{};
};

/// What a schedule is now, for a request that replaces it.
struct PresentSchedule {
  const ScheduleDocument& document;
  schedule_pb::Schedule described;  // as its client was told
  std::int64_t start_count = 0;     // automatic, under its limit
};

/// The document that a request means. Refuses, in Temporal's words, what Temporal refuses, and in ours what cannot be
/// meant here. `present` is null for a schedule that is created; an action that is as it was described stays what it
/// is.
[[nodiscard]] Outcome<TranslatedSchedule> translate(const ScheduleRequest& request, const Settings& settings,
                                                    std::string_view name_space, const PresentSchedule* present);

/// The action of ours that stands for a workflow.
[[nodiscard]] Outcome<boost::json::object> action_for(const workflow_pb::NewWorkflowExecutionInfo& workflow,
                                                      const Settings& settings);

/// A schedule in Temporal's form: as its client defined it, as far as that is still what its document says; else made
/// from the document. Of its state only what nobody else knows is there.
[[nodiscard]] schedule_pb::Schedule described_schedule(const ScheduleDocument& document, Instant creation);

/// What of a document a kept message stands for.
[[nodiscard]] std::string meaning_of(const Spec& spec, const Action& action);

[[nodiscard]] OverlapPolicy overlap_of(enums_pb::ScheduleOverlapPolicy policy);
[[nodiscard]] enums_pb::ScheduleOverlapPolicy message_of(OverlapPolicy policy);

}  // namespace carillon::temporal
