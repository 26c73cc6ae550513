#include "cli/terminal/json_text.hpp"

#include "cli/terminal/printable.hpp"

namespace carillon::cli {

void append_json_text(std::string& out, std::string_view text) {
  // What printable leaves needs two escapes only.
  out += '"';
  for (const char c : printable(text, 2000)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  out += '"';
}

}  // namespace carillon::cli
