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

[[nodiscard]] service_pb::DescribeScheduleResponse describe_response(const ScheduleAnswer& answer,
                                                                     const ScheduleDocument& document);
[[nodiscard]] schedule_pb::ScheduleListEntry list_entry(const ScheduleAnswer& answer, const ScheduleDocument& document,
                                                        Instant now);

/// What a client said of a schedule beside its definition; empty if it said nothing.
[[nodiscard]] common_pb::Memo memo_of(const ScheduleDocument& document);
[[nodiscard]] common_pb::SearchAttributes attributes_of(const ScheduleDocument& document);

}  // namespace carillon::temporal
