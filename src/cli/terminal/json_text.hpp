#pragma once

#include <string>
#include <string_view>

namespace carillon::cli {

/// Appends the text as a JSON string. Bytes that are no UTF-8 become escapes that a reader can see, as on a terminal.
void append_json_text(std::string& out, std::string_view text);

}  // namespace carillon::cli
