#include "definitions/new_definition.hpp"

#include "base/quoted.hpp"
#include "base/utf8.hpp"
#include "document/json_pointer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace carillon {
namespace {

/// The words that stand in addresses where ids stand too.
constexpr std::array<std::string_view, 3> reserved_ids{"batch", "batch-delete", "preview"};

std::string in_lower_case(std::string_view text) {
  std::string lower{text};
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

Problem problem_at(std::string pointer, std::string_view code, std::string message, std::string hint) {
  return {.pointer = std::move(pointer),
          .code = code,
          .message = std::move(message),
          .hint = std::move(hint),
          .position = {}};
}

/// The character that well-formed UTF-8 begins with.
std::uint32_t character_at(std::string_view text, std::size_t length) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
  if (length == 1) return byte(0);
  std::uint32_t character = byte(0) & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) character = (character << 6) | (byte(i) & 0x3FU);
  return character;
}

bool is_hidden(std::uint32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029 || (c >= 0x202A && c <= 0x202E) ||
         (c >= 0x2066 && c <= 0x2069);
}

void check_text(Problems& problems, std::string pointer, std::string_view what, std::string_view text) {
  if (!has_hidden_character(text)) return;
  problems.push_back(problem_at(
      std::move(pointer), "control-character",
      fmt::format("{} has a control character or a change of direction: {}", what, quoted(text)), "leave it out"));
}

}  // namespace

bool has_hidden_character(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = std::max<std::size_t>(utf8_length(text), 1);
    if (is_hidden(character_at(text, length))) return true;
    text.remove_prefix(length);
  }
  return false;
}

bool is_reserved(const ScheduleId& id) {
  return std::ranges::find(reserved_ids, in_lower_case(id.text())) != reserved_ids.end();
}

Problems check_definition(const ScheduleDocument& document) {
  Problems problems;
  check_text(problems, "/name", "the name", document.name);
  for (const auto& [key, value] : document.labels) {
    std::string pointer = "/labels";
    append_key(pointer, key);
    check_text(problems, std::move(pointer), fmt::format("the label {}", key), value);
  }
  return problems;
}

Problems check_new_namespace(const NamespaceId& name_space) {
  const std::string lower = in_lower_case(name_space.text());
  if (lower == name_space.text()) return {};
  return {problem_at("/namespace", "invalid-id", fmt::format("the namespace {} has capital letters", name_space.text()),
                     "write " + lower)};
}

Problems check_new_name(const NamespaceId& name_space, const ScheduleId& id) {
  Problems problems = check_new_namespace(name_space);
  if (is_reserved(id))
    problems.push_back(problem_at("/id", "reserved-id",
                                  fmt::format("{} is reserved for API addresses and cannot be an id", id.text()),
                                  "choose another id"));
  return problems;
}

}  // namespace carillon
