#include "base/quoted.hpp"

#include "base/utf8.hpp"

#include <fmt/format.h>

#include <iterator>

namespace carillon {
namespace {

bool is_control(std::string_view character) {
  const auto lead = static_cast<unsigned char>(character[0]);
  // U+0080 to U+009F too: some terminals obey them.
  return lead < 0x20 || lead == 0x7F || (lead == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0);
}

void append_escaped(std::string& out, std::string_view bytes) {
  for (const char byte : bytes) fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(byte));
}

void append_character(std::string& out, std::string_view character) {
  if (character == "\n") {
    out += "\\n";
  } else if (character == "\t") {
    out += "\\t";
  } else if (is_control(character)) {
    append_escaped(out, character);
  } else {
    out += character;
  }
}

}  // namespace

std::string quoted(std::string_view text) {
  std::string out{'"'};
  for (std::size_t count = 0; !text.empty(); ++count) {
    if (count == quoted_length_max) {
      out += "…";
      break;
    }
    const std::size_t length = utf8_length(text);
    if (length == 0) {
      append_escaped(out, text.substr(0, 1));
    } else {
      append_character(out, text.substr(0, length));
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  out += '"';
  return out;
}

}  // namespace carillon
