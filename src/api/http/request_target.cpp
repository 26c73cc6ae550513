#include "api/http/request_target.hpp"

#include "base/quoted.hpp"
#include "base/utf8.hpp"

#include <algorithm>
#include <cstddef>

namespace carillon::http {
namespace {

enum class Part { path, query };

std::optional<unsigned> target_hex_value(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
  return std::nullopt;
}

std::unexpected<Error> bad(std::string_view text, std::string_view why) {
  return fail(ErrorCode::invalid_argument, "{} in the address of the request {}", quoted(text), why);
}

Result<std::string> unescaped(std::string_view text, Part part) {
  if (!text.contains('%') && (part == Part::path || !text.contains('+'))) return std::string{text};
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && part == Part::query) {
      out += ' ';
    } else if (text[i] != '%') {
      out += text[i];
    } else {
      const auto high = i + 2 < text.size() ? target_hex_value(text[i + 1]) : std::nullopt;
      const auto low = i + 2 < text.size() ? target_hex_value(text[i + 2]) : std::nullopt;
      if (!high || !low) return bad(text, "has a % that two hexadecimal digits do not follow");
      out += static_cast<char>(*high * 16 + *low);
      i += 2;
    }
  }
  return out;
}

Result<std::string> decoded(std::string_view text, Part part) {
  std::string out = TRY(unescaped(text, part));
  const bool has_control =
      std::ranges::any_of(out, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
  if (has_control) return bad(text, "has a control character");
  if (find_malformed_utf8(out)) return bad(text, "is not UTF-8");
  return out;
}

Result<std::string> decoded_segment(std::string_view text) {
  std::string out = TRY(decoded(text, Part::path));
  if (out == "." || out == "..") return bad(text, "leads to another folder");
  if (out.contains('/') || out.contains('\\')) return bad(text, "has a slash inside a name");
  return out;
}

/// What stands before the separator; the text is then what stands behind it, and `is_last` whether there was none.
std::string_view cut(std::string_view& text, char separator, bool& is_last) {
  const auto end = text.find(separator);
  is_last = end == std::string_view::npos;
  const std::string_view front = text.substr(0, end);
  text = is_last ? std::string_view{} : text.substr(end + 1);
  return front;
}

}  // namespace

std::optional<std::string_view> Target::parameter(std::string_view name) const {
  const auto found = std::ranges::find(query, name, [](const auto& pair) -> const std::string& { return pair.first; });
  if (found == query.end()) return std::nullopt;
  return found->second;
}

Result<Target> parse_target(std::string_view target) {
  Target out;
  bool is_last = false;
  std::string_view path = cut(target, '?', is_last);
  std::string_view query = target;
  if (!path.starts_with('/')) return bad(path, "is not a path");
  path.remove_prefix(1);
  do {
    out.segments.push_back(TRY(decoded_segment(cut(path, '/', is_last))));
  } while (!is_last);
  while (!query.empty()) {
    std::string_view value = cut(query, '&', is_last);
    if (value.empty()) continue;
    const std::string_view name = cut(value, '=', is_last);
    std::string name_text = TRY(decoded(name, Part::query));
    out.query.emplace_back(std::move(name_text), TRY(decoded(value, Part::query)));
  }
  return out;
}

}  // namespace carillon::http
