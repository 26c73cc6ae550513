#pragma once

#include "base/instant.hpp"
#include "definitions/action.hpp"
#include "ports/executor.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace carillon {

/// What a server said.
struct HttpAnswer {
  std::int64_t status = 0;
  std::string reason{};  // the words behind the status, any bytes
  std::optional<std::string> retry_after{};
  std::string body{};        // its beginning
  bool is_complete = false;  // the body is all there
};

/// No target makes us wait longer than this.
inline constexpr Duration retry_after_max = std::chrono::days{1};

/// Succeeded if the status is one of these; the body is then the result, if it is complete, JSON and not larger than
/// `result_size_max`. Failed otherwise, with status, words and the beginning of the body as error, and the time the
/// server asks us to wait when it is overloaded (429, 503).
[[nodiscard]] AttemptEnd judge(const HttpAnswer& answer, std::span<const StatusRange> success_codes,
                               std::size_t result_size_max, Instant now);

/// How long to wait by a `Retry-After` header: seconds, or a date; none if it is neither. From zero to retry_after_max.
[[nodiscard]] std::optional<Duration> parse_retry_after(std::string_view text, Instant now);

/// At most the first `length_max` bytes, on one line, well-formed UTF-8, without control characters.
[[nodiscard]] std::string printable_part(std::string_view bytes, std::size_t length_max);

}  // namespace carillon
