#include "definitions/slug.hpp"

#include "base/assertion.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace carillon {
namespace {

constexpr std::size_t id_length_max = 128;

char id_character(char c) {
  if (c >= 'A' && c <= 'Z') return static_cast<char>(c - 'A' + 'a');
  const bool fits = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_';
  return fits ? c : '-';
}

bool is_divider(char c) { return c == '-' || c == '.' || c == '_'; }

void drop_dividers_at_end(std::string& text) {
  while (!text.empty() && is_divider(text.back())) text.pop_back();
}

ScheduleId checked(std::string_view text) {
  auto id = ScheduleId::parse(text);
  CARILLON_ASSERT(id.has_value());
  return *std::move(id);
}

}  // namespace

ScheduleId slug(std::string_view name) {
  std::string text;
  for (const char c : name) {
    const char next = id_character(c);
    const bool is_second_divider = is_divider(next) && (text.empty() || is_divider(text.back()));
    if (!is_second_divider && text.size() < id_length_max) text += next;
  }
  drop_dividers_at_end(text);
  return checked(text.empty() ? "schedule" : text);
}

ScheduleId numbered(const ScheduleId& id, int number) {
  const std::string suffix = fmt::format("-{}", number);
  std::string text = id.text().substr(0, id_length_max - suffix.size());
  drop_dividers_at_end(text);
  return checked(text + suffix);
}

}  // namespace carillon
