#include "document/json_pointer.hpp"

namespace carillon {

void append_key(std::string& pointer, std::string_view key) {
  pointer += '/';
  for (const char c : key) {
    if (c == '~') {
      pointer += "~0";
    } else if (c == '/') {
      pointer += "~1";
    } else {
      pointer += c;
    }
  }
}

std::string_view parent_pointer(std::string_view pointer) {
  const std::size_t last = pointer.rfind('/');
  return pointer.substr(0, last == std::string_view::npos ? 0 : last);
}

}  // namespace carillon
