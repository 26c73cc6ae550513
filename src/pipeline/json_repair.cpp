#include "pipeline/json_repair.hpp"

#include <algorithm>

namespace carillon::pipeline {
namespace {

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool begins_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool continues_name(char c) { return begins_name(c) || (c >= '0' && c <= '9'); }

std::size_t skip_blanks(std::string_view text, std::size_t at) {
  while (at < text.size() && is_blank(text[at])) ++at;
  return at;
}

/// `{a: 1, b : 2}` → `{"a": 1, "b": 2}`.
std::string with_quoted_keys(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const bool may_precede_key = text[at] == '{' || text[at] == ',';
    const std::size_t name = may_precede_key ? skip_blanks(text, at + 1) : at;
    std::size_t name_end = name;
    if (may_precede_key && name < text.size() && begins_name(text[name]))
      while (name_end < text.size() && continues_name(text[name_end])) ++name_end;
    const std::size_t colon = skip_blanks(text, name_end);
    if (name_end > name && colon < text.size() && text[colon] == ':') {
      out += text.substr(at, name - at);
      out += '"';
      out += text.substr(name, name_end - name);
      out += "\":";
      at = colon + 1;
    } else {
      out += text[at++];
    }
  }
  return out;
}

std::string without_trailing_commas(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == ',') {
      const std::size_t next = skip_blanks(text, at + 1);
      if (next < text.size() && (text[next] == '}' || text[next] == ']')) continue;
    }
    out += text[at];
  }
  return out;
}

std::string with_commas_between_lines(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '"') {
      const std::size_t next = skip_blanks(text, at + 1);
      const bool has_break = text.substr(at, next - at).find('\n') != std::string_view::npos;
      if (has_break && next < text.size() && text[next] == '"') {
        out += "\",\n\"";
        at = next + 1;
        continue;
      }
    }
    out += text[at++];
  }
  return out;
}

}  // namespace

std::string repaired_json(std::string_view text) {
  std::string fixed{text};
  std::ranges::replace(fixed, '\'', '"');
  fixed = with_quoted_keys(fixed);
  fixed = without_trailing_commas(fixed);
  return with_commas_between_lines(fixed);
}

}  // namespace carillon::pipeline
