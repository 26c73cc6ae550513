#pragma once

#include "base/instant.hpp"
#include "calendar/spec.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace carillon::oracle {

/// A time written down in a test. Fails hard when it is misspelt.
[[nodiscard]] inline Instant utc(std::string_view text) { return parse_instant(text).value(); }

[[nodiscard]] inline Spec cron_spec(std::string text, std::string zone = "UTC") {
  Spec spec;
  spec.crons.push_back(std::move(text));
  spec.timezone = std::move(zone);
  return spec;
}

[[nodiscard]] inline Spec calendar_spec(Calendar calendar, std::string zone = "UTC") {
  Spec spec;
  spec.calendars.push_back(std::move(calendar));
  spec.timezone = std::move(zone);
  return spec;
}

/// The first `count` occurrences after a time, as texts. Works for an Oracle and for a Timetable.
template <typename Calendar>
[[nodiscard]] std::vector<std::string> following(const Calendar& calendar, std::string_view after, std::size_t count) {
  std::vector<std::string> texts;
  auto found = calendar.next(utc(after));
  while (found && texts.size() < count) {
    texts.push_back(to_text(*found));
    found = calendar.next(*found);
  }
  return texts;
}

/// The last `count` occurrences before a time, latest first.
template <typename Calendar>
[[nodiscard]] std::vector<std::string> preceding(const Calendar& calendar, std::string_view before, std::size_t count) {
  std::vector<std::string> texts;
  auto found = calendar.previous(utc(before));
  while (found && texts.size() < count) {
    texts.push_back(to_text(*found));
    found = calendar.previous(*found);
  }
  return texts;
}

}  // namespace carillon::oracle
