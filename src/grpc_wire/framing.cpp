#include "grpc_wire/framing.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <memory>

namespace carillon::grpc {
namespace {

constexpr std::size_t prefix_size = 5;
/// gzip with any window: zlib's way to say so.
constexpr int gzip_window_bits = 15 + 16;

std::unexpected<Status> wrong(StatusCode code, std::string message) {
  return std::unexpected(Status{.code = code, .message = std::move(message)});
}

std::unexpected<Status> too_large(std::string_view what, std::size_t size, std::size_t size_max) {
  return wrong(StatusCode::resource_exhausted,
               fmt::format("grpc: received message {}larger than max ({} vs. {})", what, size, size_max));
}

std::uint32_t length_in(std::string_view prefix) {
  std::uint32_t length = 0;
  for (const char c : prefix.substr(1, 4)) length = length << 8 | static_cast<unsigned char>(c);
  return length;
}

/// A small text may stand for a huge one: what comes out is counted while it comes.
std::expected<std::string, Status> gunzip(std::string_view packed, std::size_t size_max) {
  const auto broken = [] { return wrong(StatusCode::internal, "grpc: the message cannot be decompressed"); };
  z_stream stream{};
  if (inflateInit2(&stream, gzip_window_bits) != Z_OK) return broken();
  const std::unique_ptr<z_stream, decltype(&inflateEnd)> end{&stream, inflateEnd};
  std::string input{packed};
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  std::string out;
  std::array<char, 16 * 1024> piece{};
  for (;;) {
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    const int result = inflate(&stream, Z_NO_FLUSH);
    if (result != Z_OK && result != Z_STREAM_END) return broken();
    const std::size_t count = piece.size() - stream.avail_out;
    if (out.size() + count > size_max) return too_large("after decompression ", out.size() + count, size_max);
    out.append(piece.data(), count);
    if (result == Z_STREAM_END) break;
    // Neither input nor output moves any more: it was cut off.
    if (count == 0 && stream.avail_in == 0) return broken();
  }
  if (stream.avail_in != 0) return broken();
  return out;
}

}  // namespace

std::expected<SentMessage, Status> take_message(std::string_view body, std::string_view encoding,
                                                std::size_t size_max) {
  if (body.size() < prefix_size) return wrong(StatusCode::internal, "grpc: the request has no whole message");
  const auto flag = static_cast<unsigned char>(body.front());
  if (flag > 1) return wrong(StatusCode::internal, "grpc: unknown flags before the message");
  const std::uint32_t length = length_in(body);
  if (length > size_max) return too_large("", length, size_max);
  const std::string_view message = body.substr(prefix_size);
  if (message.size() < length) return wrong(StatusCode::internal, "grpc: the message is cut off");
  if (message.size() > length) return wrong(StatusCode::internal, "grpc: this method takes one message");
  if (flag == 0) return SentMessage{.bytes = std::string{message}};
  if (encoding.empty() || encoding == "identity")
    return wrong(StatusCode::internal, "grpc: compressed flag set with identity or empty encoding");
  if (encoding != "gzip")
    return wrong(StatusCode::unimplemented,
                 fmt::format("grpc: Decompressor is not installed for grpc-encoding \"{}\"; use gzip", encoding));
  return SentMessage{.bytes = std::string{message}, .is_packed = true};
}

std::expected<std::string, Status> unpacked(std::string_view packed, std::size_t size_max) {
  return gunzip(packed, size_max);
}

std::expected<std::string, Status> read_message(std::string_view body, std::string_view encoding,
                                                std::size_t size_max) {
  auto sent = take_message(body, encoding, size_max);
  if (!sent) return std::unexpected(std::move(sent).error());
  return sent->is_packed ? unpacked(sent->bytes, size_max) : std::move(sent->bytes);
}

std::string framed(std::string_view message) {
  std::string out;
  out.reserve(prefix_size + message.size());
  out.push_back('\0');
  for (const int shift : {24, 16, 8, 0}) out.push_back(static_cast<char>(message.size() >> shift & 0xff));
  out.append(message);
  return out;
}

std::optional<std::chrono::nanoseconds> parse_timeout(std::string_view text) {
  constexpr std::size_t digit_count_max = 8;
  if (text.size() < 2 || text.size() > digit_count_max + 1) return std::nullopt;
  const char* const end = text.data() + text.size() - 1;
  std::int64_t count = 0;
  const auto [stop, error] = std::from_chars(text.data(), end, count);
  if (error != std::errc{} || stop != end || count < 0) return std::nullopt;
  switch (text.back()) {
    case 'H': return std::chrono::hours{std::min<std::int64_t>(count, 1'000'000)};
    case 'M': return std::chrono::minutes{count};
    case 'S': return std::chrono::seconds{count};
    case 'm': return std::chrono::milliseconds{count};
    case 'u': return std::chrono::microseconds{count};
    case 'n': return std::chrono::nanoseconds{count};
    default: return std::nullopt;
  }
}

std::string percent_encoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c >= ' ' && c <= '~' && c != '%')
      out.push_back(c);
    else
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

std::string base64_unpadded(std::string_view bytes) {
  static constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  std::uint32_t bits = 0;
  int bit_count = 0;
  for (const char c : bytes) {
    bits = bits << 8 | static_cast<unsigned char>(c);
    for (bit_count += 8; bit_count >= 6; bit_count -= 6) out.push_back(alphabet[bits >> (bit_count - 6) & 0x3f]);
  }
  if (bit_count > 0) out.push_back(alphabet[bits << (6 - bit_count) & 0x3f]);
  return out;
}

std::string percent_decoded(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    std::uint8_t byte = 0;
    const bool is_escape = text.front() == '%' && text.size() >= 3;
    const auto end = is_escape ? std::from_chars(text.data() + 1, text.data() + 3, byte, 16).ptr : nullptr;
    const bool is_read = is_escape && end == text.data() + 3;
    out.push_back(is_read ? static_cast<char>(byte) : text.front());
    text.remove_prefix(is_read ? 3 : 1);
  }
  return out;
}

std::optional<std::string> base64_decoded(std::string_view text) {
  constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  while (text.ends_with('=')) text.remove_suffix(1);
  std::string out;
  std::uint32_t bits = 0;
  int bit_count = 0;
  for (const char c : text) {
    const std::size_t value = alphabet.find(c);
    if (value == alphabet.npos) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    bit_count += 6;
    if (bit_count < 8) continue;
    bit_count -= 8;
    out.push_back(static_cast<char>(bits >> bit_count & 0xff));
  }
  return out;
}

bool is_grpc_content(std::string_view content_type) {
  constexpr std::string_view name = "application/grpc";
  if (!content_type.starts_with(name)) return false;
  const std::string_view rest = content_type.substr(name.size());
  return rest.empty() || rest.starts_with(';') || rest == "+proto" || rest.starts_with("+proto;");
}

}  // namespace carillon::grpc
