#pragma once

#include "api/http/message.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace carillon::http {

/// How an answer ends, and with it perhaps the connection.
struct Framing {
  std::optional<std::size_t> length{};  // of the body; none: it has no length, or has none known
  bool is_chunked = false;
  bool is_http_1_0 = false;  // asked for by one that keeps a connection only if told so
  bool keeps_alive = true;
};

/// Appends status line and headers, the empty line included. `date` is the value of the Date header.
void append_head(std::string& out, int status, const HeaderList& headers, const Framing& framing,
                 std::string_view date);

/// Whether status and headers can be sent without making something else of the answer.
[[nodiscard]] bool is_sendable(int status, const HeaderList& headers);

/// Whether answers with this status never have a body.
[[nodiscard]] bool has_no_body(int status);

/// Appends one piece of a chunked body; `bytes` is not empty.
void append_chunk(std::string& out, std::string_view bytes);
inline constexpr std::string_view last_chunk = "0\r\n\r\n";

/// "Sun, 06 Nov 1994 08:49:37 GMT"
[[nodiscard]] std::string http_date(std::chrono::sys_seconds time);

}  // namespace carillon::http
