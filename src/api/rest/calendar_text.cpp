#include "api/rest/calendar_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace carillon::rest {
namespace {

/// Lines of a calendar have no more bytes than this.
constexpr std::size_t line_size_max = 75;

std::string escaped_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == ';' || c == ',') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else if (static_cast<unsigned char>(c) >= 0x20) {
      out += c;
    }
  }
  return out;
}

bool is_inside_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

/// A long line goes on behind a space, and no character is cut.
void add_line(std::string& out, std::string_view line) {
  std::size_t room = line_size_max;
  while (line.size() > room) {
    std::size_t size = room;
    while (size > 1 && is_inside_character(line[size])) --size;
    out.append(line.substr(0, size)).append("\r\n ");
    line.remove_prefix(size);
    room = line_size_max - 1;
  }
  out.append(line).append("\r\n");
}

/// `20261120T030000Z`
std::string calendar_time(Instant instant) {
  std::string text = to_text(std::chrono::floor<std::chrono::seconds>(instant));
  std::erase_if(text, [](char c) { return c == '-' || c == ':'; });
  return text;
}

}  // namespace

std::string calendar_text(std::span<const CalendarEntry> entries, Instant now) {
  std::string out;
  add_line(out, "BEGIN:VCALENDAR");
  add_line(out, "VERSION:2.0");
  add_line(out, "PRODID:-//carillon//occurrences//EN");
  add_line(out, "X-WR-CALNAME:carillon");
  for (const CalendarEntry& entry : entries) {
    const std::string due = calendar_time(entry.start.due);
    const std::string title = entry.name.empty() ? entry.key.id.text() : entry.name;
    add_line(out, "BEGIN:VEVENT");
    add_line(out, fmt::format("UID:{}.{}.{}@carillon", entry.key.name_space.text(), entry.key.id.text(),
                              calendar_time(entry.start.nominal)));
    add_line(out, "DTSTAMP:" + calendar_time(now));
    add_line(out, "DTSTART:" + due);
    add_line(out, "DURATION:PT1M");
    add_line(out, "SUMMARY:" + escaped_text(title));
    add_line(out, "DESCRIPTION:" + escaped_text(fmt::format("schedule {} in namespace {}, at {}", entry.key.id.text(),
                                                            entry.key.name_space.text(), entry.start.local)));
    add_line(out, "TRANSP:TRANSPARENT");
    add_line(out, "END:VEVENT");
  }
  add_line(out, "END:VCALENDAR");
  return out;
}

}  // namespace carillon::rest
