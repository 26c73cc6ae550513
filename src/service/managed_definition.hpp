#pragma once

#include "ports/query_store.hpp"
#include "service/caller.hpp"
#include "service/refusal.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace carillon {

/// The label of a schedule that something else than a person defines: `code:<program>` for one that a program
/// registers, `file:<path>` for one that a watched folder defines.
inline constexpr std::string_view managed_by_label = "carillon.managed-by";

/// The value of the label for a file: `file:daily-report/pipeline.yaml`.
[[nodiscard]] std::string managed_by_file(std::string_view file);

/// The value of the label in a schedule's document; empty if it has none. For any thread.
[[nodiscard]] std::string managed_by(std::string_view document);
/// The file that defines a schedule, by its document; none if it is no file's. For any thread.
[[nodiscard]] std::optional<std::string> defining_file(std::string_view document);

/// Refuses (forbidden) a change of what a file defines, but for whoever keeps schedules as files say. `documents` are
/// those before and after the change; empty: none.
[[nodiscard]] Served<> expect_not_of_file(const Caller& caller, const ScheduleKey& key, std::string_view before,
                                          std::string_view after);

}  // namespace carillon
