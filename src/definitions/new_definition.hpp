#pragma once

#include "definitions/schedule_document.hpp"
#include "document/reader.hpp"

#include <string_view>

namespace carillon {

// What is asked of definitions that are written from now on. It is more than what must hold to read those that stand in
// stores already, which go on working.

/// Of every definition, new or changed: names that look like what they are.
[[nodiscard]] Problems check_definition(const ScheduleDocument& document);

/// Of a schedule that is created: an id that is no word of the API's addresses, and a namespace in lower case, so that
/// no two differ by case alone.
[[nodiscard]] Problems check_new_name(const NamespaceId& name_space, const ScheduleId& id);
[[nodiscard]] Problems check_new_namespace(const NamespaceId& name_space);

/// Whether an id is one of those that addresses need for themselves.
[[nodiscard]] bool is_reserved(const ScheduleId& id);

/// Whether a text has a character that changes how others are shown: a control character (also of C1), a line or
/// paragraph separator, or an override or isolate of the writing direction.
[[nodiscard]] bool has_hidden_character(std::string_view text);

}  // namespace carillon
