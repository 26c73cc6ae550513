#include "stored_rows/store_image.hpp"

#include <array>

namespace carillon::rows {
namespace {

using enum ColumnKind;

constexpr std::array schedule_columns{
    ImageColumn{"uid", number},         ImageColumn{"namespace", text},    ImageColumn{"id", text},
    ImageColumn{"incarnation", number}, ImageColumn{"created_at", number}, ImageColumn{"is_deleted", flag},
    ImageColumn{"name", text},          ImageColumn{"action", text},       ImageColumn{"labels", text},
    ImageColumn{"workflow", text},
};
constexpr std::array definition_columns{
    ImageColumn{"uid", number},
    ImageColumn{"revision", number},
    ImageColumn{"document", text},
};
constexpr std::array request_columns{
    ImageColumn{"id", number},       ImageColumn{"at", number},       ImageColumn{"uid", number},
    ImageColumn{"revision", number}, ImageColumn{"decision", number},
};
constexpr std::array state_columns{
    ImageColumn{"uid", number},      ImageColumn{"version", number}, ImageColumn{"revision", number},
    ImageColumn{"wake_at", number},  ImageColumn{"server", number},  ImageColumn{"batch", number},
    ImageColumn{"last_seq", number}, ImageColumn{"live", list},      ImageColumn{"backfills", number},
    ImageColumn{"flags", number},    ImageColumn{"body", bytes},
};
constexpr std::array quarantine_columns{
    ImageColumn{"uid", number},
    ImageColumn{"error", text},
};
constexpr std::array queue_columns{
    ImageColumn{"name", text},
    ImageColumn{"is_paused", flag},
    ImageColumn{"run_limit", number},
    ImageColumn{"keeps_failed", flag},
};
constexpr std::array ledger_columns{
    ImageColumn{"seq", number},
    ImageColumn{"uid", number},
    ImageColumn{"at", number},
    ImageColumn{"server", number},
    ImageColumn{"revision", number},
    ImageColumn{"version", number},
    ImageColumn{"nominal", number},
    ImageColumn{"due", number},
    ImageColumn{"waited_from", number},
    ImageColumn{"backfill", number},
    ImageColumn{"run_revision", number},
    ImageColumn{"last_success", number},
    ImageColumn{"repeats", number},
    ImageColumn{"attempt_seq", number},
    ImageColumn{"session", number},
    ImageColumn{"queued_at", number},
    ImageColumn{"claimable_from", number},
    ImageColumn{"expires_at", number},
    ImageColumn{"started_at", number},
    ImageColumn{"ended_at", number},
    ImageColumn{"rank", number},
    ImageColumn{"flags", number},
    ImageColumn{"attempt", number},
    ImageColumn{"priority", number},
    ImageColumn{"source", number},
    ImageColumn{"outcome", number},
    ImageColumn{"reason", number},
    ImageColumn{"overlap", number},
    ImageColumn{"state", number},
    ImageColumn{"attempt_state", number},
    ImageColumn{"stop", number},
    ImageColumn{"queue", text},
    ImageColumn{"trigger", text},
    ImageColumn{"payload", text},
    ImageColumn{"rules", bytes},
    ImageColumn{"namespace", text},
    ImageColumn{"last_failure", number},
};
constexpr std::array result_columns{
    ImageColumn{"seq", number},
    ImageColumn{"value", text},
};
constexpr std::array attempt_columns{
    ImageColumn{"seq", number},        ImageColumn{"uid", number},
    ImageColumn{"run_seq", number},    ImageColumn{"attempt", number},
    ImageColumn{"session", number},    ImageColumn{"at", number},
    ImageColumn{"state", number},      ImageColumn{"claimable_from", number},
    ImageColumn{"claimed_at", number}, ImageColumn{"launched_at", number},
    ImageColumn{"ended_at", number},   ImageColumn{"exit_code", number},
    ImageColumn{"signal", number},     ImageColumn{"reason", text},
    ImageColumn{"user_time", number},  ImageColumn{"system_time", number},
    ImageColumn{"memory_max", number}, ImageColumn{"known_as", text},
};
constexpr std::array change_columns{
    ImageColumn{"seq", number},      ImageColumn{"uid", number},   ImageColumn{"at", number},
    ImageColumn{"revision", number}, ImageColumn{"kind", number},  ImageColumn{"by", text},
    ImageColumn{"reason", text},     ImageColumn{"until", number}, ImageColumn{"has_document", flag},
};
constexpr std::array skipped_range_columns{
    ImageColumn{"seq", number},      ImageColumn{"uid", number},    ImageColumn{"at", number},
    ImageColumn{"revision", number}, ImageColumn{"first", number},  ImageColumn{"last", number},
    ImageColumn{"count", number},    ImageColumn{"reason", number},
};
constexpr std::array voided_range_columns{
    ImageColumn{"seq", number},   ImageColumn{"uid", number},  ImageColumn{"at", number},
    ImageColumn{"first", number}, ImageColumn{"last", number},
};
constexpr std::array backfill_columns{
    ImageColumn{"seq", number},         ImageColumn{"uid", number},        ImageColumn{"number", number},
    ImageColumn{"at", number},          ImageColumn{"id", text},           ImageColumn{"first", number},
    ImageColumn{"last", number},        ImageColumn{"direction", number},  ImageColumn{"reprocess", number},
    ImageColumn{"concurrency", number}, ImageColumn{"is_exclusive", flag}, ImageColumn{"state", number},
    ImageColumn{"cursor", number},      ImageColumn{"done", number},       ImageColumn{"total", number},
    ImageColumn{"started", number},     ImageColumn{"overlap", number},
};
constexpr std::array outage_columns{
    ImageColumn{"seq", number},  ImageColumn{"at", number},    ImageColumn{"first", number},
    ImageColumn{"last", number}, ImageColumn{"cause", number},
};
constexpr std::array forgotten_columns{
    ImageColumn{"uid", number},
    ImageColumn{"seq", number},
};
constexpr std::array session_columns{
    ImageColumn{"id", number},          ImageColumn{"worker", text},  ImageColumn{"lease", number},
    ImageColumn{"lease_until", number}, ImageColumn{"phase", number},
};
constexpr std::array audit_columns{
    ImageColumn{"number", number},       ImageColumn{"at", number},      ImageColumn{"actor", text},
    ImageColumn{"address", text},        ImageColumn{"operation", text}, ImageColumn{"namespace", text},
    ImageColumn{"target", text},         ImageColumn{"outcome", text},   ImageColumn{"document_before", text},
    ImageColumn{"document_after", text}, ImageColumn{"digest", text},
};
constexpr std::array token_columns{
    ImageColumn{"id", text},           ImageColumn{"name", text},         ImageColumn{"role", number},
    ImageColumn{"namespace", text},    ImageColumn{"salt", bytes},        ImageColumn{"hash", bytes},
    ImageColumn{"created_at", number}, ImageColumn{"expires_at", number}, ImageColumn{"revoked_at", number},
    ImageColumn{"may_execute", flag},
};
constexpr std::array idempotency_columns{
    ImageColumn{"key", text},   ImageColumn{"fingerprint", text}, ImageColumn{"at", number},
    ImageColumn{"uid", number}, ImageColumn{"decisions", list},   ImageColumn{"answer", text},
};

constexpr std::array tables{
    ImageTable{"schedule", schedule_columns},
    ImageTable{"definition", definition_columns},
    ImageTable{"request", request_columns},
    ImageTable{"state", state_columns},
    ImageTable{"quarantine", quarantine_columns},
    ImageTable{"queue", queue_columns},
    ImageTable{"ledger", ledger_columns},
    ImageTable{"result", result_columns},
    ImageTable{"attempt", attempt_columns},
    ImageTable{"change", change_columns},
    ImageTable{"skipped_range", skipped_range_columns},
    ImageTable{"voided_range", voided_range_columns},
    ImageTable{"backfill", backfill_columns},
    ImageTable{"outage", outage_columns},
    ImageTable{"forgotten", forgotten_columns},
    ImageTable{"session", session_columns},
    ImageTable{"audit", audit_columns},
    ImageTable{"token", token_columns},
    ImageTable{"idempotency", idempotency_columns},
};

}  // namespace

std::span<const ImageTable> image_tables() { return tables; }

}  // namespace carillon::rows
