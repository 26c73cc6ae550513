#pragma once

#include "api/temporal/messages.hpp"
#include "definitions/schedule_document.hpp"
#include "service/schedule_answer.hpp"

#include <optional>
#include <string>

namespace carillon::temporal {

/// The document of a record; none if it cannot be read.
[[nodiscard]] std::optional<ScheduleDocument> document_of(const ScheduleRecord& record);

/// Names a revision: what a client must say that will only change what it knows.
[[nodiscard]] std::string conflict_token(const ScheduleState& state);

/// Whether clients of Temporal see it as paused: nothing of it starts by itself.
[[nodiscard]] bool is_shown_paused(const ScheduleState& state);
[[nodiscard]] std::string shown_notes(const ScheduleRecord& record, const ScheduleDocument& document);

/// What of a description changes only with the schedule's revision.
struct Description {
  ScheduleDocument document;
  schedule_pb::Schedule schedule;
  common_pb::Memo memo;
  common_pb::SearchAttributes attributes;
};
[[nodiscard]] Description description_of(ScheduleDocument document, Instant creation);

[[nodiscard]] service_pb::DescribeScheduleResponse describe_response(const ScheduleAnswer& answer,
                                                                     const Description& description);
[[nodiscard]] schedule_pb::ScheduleListEntry list_entry(const ScheduleAnswer& answer, const ScheduleDocument& document,
                                                        Instant now);

/// What a client said of a schedule beside its definition; empty if it said nothing.
[[nodiscard]] common_pb::Memo memo_of(const ScheduleDocument& document);
[[nodiscard]] common_pb::SearchAttributes attributes_of(const ScheduleDocument& document);

}  // namespace carillon::temporal
