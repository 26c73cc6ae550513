#pragma once

#include "ports/executor.hpp"

#include <string_view>

namespace carillon {

/// What a server has told about an attempt, for the variables of its command. What is missing or strange stays empty:
/// the handler gets the text itself too.
[[nodiscard]] Envelope read_envelope(std::string_view text);

}  // namespace carillon
