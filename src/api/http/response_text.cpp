#include "api/http/response_text.hpp"

#include "api/http/headers.hpp"
#include "api/http/request_form.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace carillon::http {
namespace {

/// Who sends one of these beside ours could make a client read another answer than we sent.
constexpr std::array<std::string_view, 5> own_headers{"Connection", "Content-Length", "Date", "Server",
                                                      "Transfer-Encoding"};

bool is_own(std::string_view name) {
  return std::ranges::any_of(own_headers, [&](std::string_view own) { return equal_ignoring_case(own, name); });
}

void append_header(std::string& out, std::string_view name, std::string_view value) {
  out.append(name).append(": ").append(value).append("\r\n");
}

}  // namespace

void append_head(std::string& out, int status, const HeaderList& headers, const Framing& framing,
                 std::string_view date) {
  fmt::format_to(std::back_inserter(out), FMT_COMPILE("HTTP/1.1 {} {}\r\n"), status, reason_of(status));
  append_header(out, "Date", date);
  append_header(out, "Server", "carillon");
  for (const auto& [name, value] : headers) {
    if (!is_own(name)) append_header(out, name, value);
  }
  if (framing.length) append_header(out, "Content-Length", fmt::format_int{*framing.length}.c_str());
  if (framing.is_chunked) append_header(out, "Transfer-Encoding", "chunked");
  if (!framing.keeps_alive) {
    append_header(out, "Connection", "close");
  } else if (framing.is_http_1_0) {
    append_header(out, "Connection", "keep-alive");
  }
  out.append("\r\n");
}

bool is_sendable(int status, const HeaderList& headers) {
  // Words like "100 Continue" are no answers.
  return status >= 200 && status <= 599 && std::ranges::all_of(headers, [](const auto& header) {
           return is_token(header.first) && is_field_value(header.second);
         });
}

bool has_no_body(int status) { return status == 204 || status == 304; }

void append_chunk(std::string& out, std::string_view bytes) {
  fmt::format_to(std::back_inserter(out), FMT_COMPILE("{:x}\r\n"), bytes.size());
  out.append(bytes).append("\r\n");
}

std::string http_date(std::chrono::sys_seconds time) {
  static constexpr std::array<std::string_view, 7> days{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr std::array<std::string_view, 12> months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                           "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{time - day};
  return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT", days[std::chrono::weekday{day}.c_encoding()],
                     static_cast<unsigned>(date.day()), months[static_cast<unsigned>(date.month()) - 1],
                     static_cast<int>(date.year()), clock.hours().count(), clock.minutes().count(),
                     clock.seconds().count());
}

}  // namespace carillon::http
