#pragma once

#include "cli/command_line/arguments.hpp"

namespace carillon::cli {

/// Flags that several verbs share, so that they are called the same and mean the same everywhere.

/// Values of `-o` of a verb that lists something, and of one that shows a single document.
inline constexpr std::string_view list_formats = "table|wide|json|jsonl|yaml|csv";
inline constexpr std::string_view document_formats = "text|json|yaml";

/// `-o` with these forms, and `--color`.
[[nodiscard]] FlagSpecs output_flags(std::string_view formats);
/// `--json FIELDS`, for lists. The text names fields of the command's own objects.
[[nodiscard]] FlagSpecs fields_flag(std::string_view text);
/// `--spec`, `--id`, `--tz` of questions about an expression.
[[nodiscard]] FlagSpecs spec_flags();
/// `--data`.
[[nodiscard]] FlagSpecs data_flag();

/// Which server, with which token: every verb that calls one.
[[nodiscard]] FlagSpecs server_flags();
/// `--tz` and `--display-tz`, which mean the same here: the zone of what is shown.
[[nodiscard]] FlagSpecs display_flags();
/// `--yes`, `--no-input`: of verbs that ask back.
[[nodiscard]] FlagSpecs asking_flags();
/// `--limit`, `-q`.
[[nodiscard]] FlagSpecs list_flags();
/// Of a list that is shown whole: `-q` for its ids, its form, its zone, its server.
[[nodiscard]] FlagSpecs id_list_flags(std::string_view fields_text);
/// `--dry-run`.
[[nodiscard]] FlagSpecs dry_run_flag();

}  // namespace carillon::cli
