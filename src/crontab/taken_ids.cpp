#include "crontab/taken_ids.hpp"

#include "definitions/slug.hpp"

#include <algorithm>

namespace carillon {
namespace {

std::string lower_case(std::string_view text) {
  std::string result{text};
  std::ranges::transform(result, result.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return result;
}

}  // namespace

void TakenIds::add(std::string_view id) { taken_.insert(lower_case(id)); }

ScheduleId TakenIds::take(const ScheduleId& preferred) {
  if (taken_.insert(lower_case(preferred.text())).second) return preferred;
  int& number = next_number_.try_emplace(preferred, 2).first->second;
  while (true) {
    ScheduleId candidate = numbered(preferred, number++);
    if (taken_.insert(lower_case(candidate.text())).second) return candidate;
  }
}

}  // namespace carillon
