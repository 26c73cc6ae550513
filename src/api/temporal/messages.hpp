#pragma once

// The messages of Temporal's clients, as protoc made them of contracts/temporal, under short names.

#include "base/instant.hpp"

#include <google/protobuf/duration.pb.h>
#include <google/protobuf/timestamp.pb.h>
#include <temporal/schedule.pb.h>
#include <temporal/workflowservice.pb.h>

namespace carillon::temporal {

namespace enums_pb = ::temporal::api::enums::v1;
namespace schedule_pb = ::temporal::api::schedule::v1;
namespace workflow_pb = ::temporal::api::workflow::v1;
namespace common_pb = ::temporal::api::common::v1;
namespace service_pb = ::temporal::api::workflowservice::v1;

/// libprotobuf prints what it does not like about messages to standard error, where any client could fill the log: it
/// is told not to, in the whole process.
void silence_message_library();

/// Cut to the microsecond, and to the times carillon knows.
[[nodiscard]] Instant instant_of(const google::protobuf::Timestamp& timestamp);
[[nodiscard]] google::protobuf::Timestamp timestamp_of(Instant instant);
/// Cut to the microsecond, and to 300 years.
[[nodiscard]] Duration duration_of(const google::protobuf::Duration& duration);
[[nodiscard]] google::protobuf::Duration message_of(Duration duration);

}  // namespace carillon::temporal
