#pragma once

#include "grpc_wire/status.hpp"

#include <chrono>
#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace carillon::grpc {

/// The one message of a request: `body` is a flag, a length and the message, which may be compressed as `encoding` says
/// (empty or `identity`: not; `gzip`). Neither the message as sent nor as decompressed may exceed `size_max`.
[[nodiscard]] std::expected<std::string, Status> read_message(std::string_view body, std::string_view encoding,
                                                              std::size_t size_max);

/// A message as it was sent, without its flag and length.
struct SentMessage {
  std::string bytes;
  bool is_packed = false;  // by gzip
};
/// The same as `read_message`, but for the decompression: what that costs is for those to cause who are known.
[[nodiscard]] std::expected<SentMessage, Status> take_message(std::string_view body, std::string_view encoding,
                                                              std::size_t size_max);
/// Decompresses a message, as long as it stays within `size_max`.
[[nodiscard]] std::expected<std::string, Status> unpacked(std::string_view packed, std::size_t size_max);

/// A message, uncompressed, behind its flag and length.
[[nodiscard]] std::string framed(std::string_view message);

/// `10S`, `500m`, …; none if it cannot be read.
[[nodiscard]] std::optional<std::chrono::nanoseconds> parse_timeout(std::string_view text);

/// As the header grpc-message needs it: bytes that are not plain ASCII as %XX.
[[nodiscard]] std::string percent_encoded(std::string_view text);

/// As headers that end in -bin need it: base64 without padding.
[[nodiscard]] std::string base64_unpadded(std::string_view bytes);

/// The text that `percent_encoded` was made of; what cannot be read is left as it is.
[[nodiscard]] std::string percent_decoded(std::string_view text);

/// The bytes of base64, with or without padding; none if it is not base64.
[[nodiscard]] std::optional<std::string> base64_decoded(std::string_view text);

/// `application/grpc`, also with `+proto` or parameters.
[[nodiscard]] bool is_grpc_content(std::string_view content_type);

}  // namespace carillon::grpc
