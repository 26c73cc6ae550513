#include "executors/http/http_answer.hpp"

#include "base/utf8.hpp"
#include "definitions/members.hpp"
#include "document/document.hpp"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>

namespace carillon {
namespace {

constexpr std::size_t reason_length_max = 60;
constexpr std::size_t shown_body_length_max = 200;
constexpr std::int64_t too_many_requests = 429;
constexpr std::int64_t service_unavailable = 503;

std::string failure_text(const HttpAnswer& answer) {
  std::string text = fmt::format("answered {}", answer.status);
  if (const std::string reason = printable_part(answer.reason, reason_length_max); !reason.empty())
    text += " " + reason;
  if (const std::string body = printable_part(answer.body, shown_body_length_max); !body.empty()) text += ": " + body;
  return text;
}

/// A control character, the second block of them included, which terminals obey too; a space; or no character at all.
bool is_blank(std::string_view character) {
  if (character.size() == 2) return character[0] == '\xC2' && static_cast<unsigned char>(character[1]) < 0xA0;
  return character.empty() || (character.size() == 1 && (is_control_character(character[0]) || character[0] == ' '));
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

Duration bounded(Duration wait) { return std::clamp(wait, Duration::zero(), retry_after_max); }

}  // namespace

AttemptEnd judge(const HttpAnswer& answer, std::span<const StatusRange> success_codes, std::size_t result_size_max,
                 Instant now) {
  AttemptEnd end{.exit_code = answer.status};
  const auto holds_it = [&](const StatusRange& range) {
    return range.first <= answer.status && answer.status <= range.last;
  };
  if (std::ranges::any_of(success_codes, holds_it)) {
    end.outcome = AttemptOutcome::succeeded;
    if (answer.is_complete && answer.body.size() <= result_size_max && parse_json(answer.body))
      end.result = answer.body;
    return end;
  }
  end.outcome = AttemptOutcome::failed;
  end.error = failure_text(answer);
  if (answer.retry_after && (answer.status == too_many_requests || answer.status == service_unavailable))
    end.retry_after = parse_retry_after(*answer.retry_after, now);
  return end;
}

std::optional<Duration> parse_retry_after(std::string_view text, Instant now) {
  if (!text.empty() && std::ranges::all_of(text, is_digit)) {
    std::int64_t seconds = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    const std::int64_t seconds_max = std::chrono::duration_cast<std::chrono::seconds>(retry_after_max).count();
    if (error != std::errc{}) return retry_after_max;
    return bounded(std::chrono::seconds{std::min(seconds, seconds_max)});
  }
  const time_t time = curl_getdate(std::string{text}.c_str(), nullptr);
  if (time == -1) return std::nullopt;
  return bounded(std::chrono::sys_seconds{std::chrono::seconds{time}} - now);
}

std::string printable_part(std::string_view bytes, std::size_t length_max) {
  std::string out;
  std::string_view rest = bytes.substr(0, length_max);
  while (!rest.empty()) {
    const std::string_view character = rest.substr(0, utf8_length(rest));
    if (!is_blank(character))
      out += character;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
    rest.remove_prefix(std::max<std::size_t>(1, character.size()));
  }
  if (out.ends_with(' ')) out.pop_back();
  return out;
}

}  // namespace carillon
