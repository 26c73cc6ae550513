#include "executors/pipeline/http_question.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace carillon::pipeline {
namespace {

constexpr Duration asked_wait_max = std::chrono::days{1};

std::optional<double> number_at_front(std::string_view& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error != std::errc{} || number < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

Duration wait_of_seconds(double seconds) {
  const double seconds_max = std::chrono::duration<double>(asked_wait_max).count();
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(std::min(seconds, seconds_max)));
}

std::optional<std::string_view> header_of(const HttpReply& reply, std::string_view name) {
  const auto found = reply.headers.find(name);
  return found == reply.headers.end() ? std::nullopt : std::optional<std::string_view>{found->second};
}

/// A whole text that is a number of these units.
std::optional<Duration> wait_of_number(std::string_view text, double unit_seconds) {
  const auto number = number_at_front(text);
  if (!number || !text.empty()) return std::nullopt;
  return wait_of_seconds(*number * unit_seconds);
}

std::optional<Duration> wait_of_date(std::string_view text, Instant now) {
  const time_t time = curl_getdate(std::string{text}.c_str(), nullptr);
  if (time == -1) return std::nullopt;
  return std::clamp<Duration>(std::chrono::sys_seconds{std::chrono::seconds{time}} - now, Duration::zero(),
                              asked_wait_max);
}

/// `12ms`, `1m30s`, `6.5s`, as services write when a limit is reset.
std::optional<Duration> wait_of_units(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 5> units{
      {{"ms", 0.001}, {"h", 3600}, {"m", 60}, {"s", 1}, {"d", 86400}}};
  double seconds = 0;
  if (text.empty()) return std::nullopt;
  while (!text.empty()) {
    const auto number = number_at_front(text);
    const auto unit = std::ranges::find_if(units, [&](const auto& one) { return text.starts_with(one.first); });
    if (!number || unit == units.end()) return std::nullopt;
    seconds += *number * unit->second;
    text.remove_prefix(unit->first.size());
  }
  return wait_of_seconds(seconds);
}

/// When the limit that is used up is reset: of two the later one.
std::optional<Duration> wait_until_reset(const HttpReply& reply) {
  std::optional<Duration> wait;
  for (const char* what : {"requests", "tokens"}) {
    const auto left = header_of(reply, std::string{"x-ratelimit-remaining-"} + what);
    const auto reset = header_of(reply, std::string{"x-ratelimit-reset-"} + what);
    if (!reset || (left && *left != "0")) continue;
    if (const auto length = wait_of_units(*reset)) wait = std::max(wait.value_or(Duration::zero()), *length);
  }
  return wait;
}

}  // namespace

std::optional<Duration> wait_asked_for(const HttpReply& reply, Instant now) {
  if (const auto text = header_of(reply, "retry-after-ms")) {
    if (const auto wait = wait_of_number(*text, 0.001)) return wait;
  }
  if (const auto text = header_of(reply, "retry-after")) {
    if (const auto wait = wait_of_number(*text, 1)) return wait;
    // A negative number is no date either.
    if (!text->starts_with('-')) {
      if (const auto wait = wait_of_date(*text, now)) return wait;
    }
  }
  return wait_until_reset(reply);
}

}  // namespace carillon::pipeline
