#include "api/http/body_reader.hpp"

#include <algorithm>

namespace carillon::http {
namespace {

constexpr std::size_t digit_count_max = 8;
constexpr std::string_view bad_length = "the length of a chunk is not a hexadecimal number";
constexpr std::string_view bad_end = "a chunk does not end where it should";

std::optional<unsigned> hex_value(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
  return std::nullopt;
}

}  // namespace

BodyReader BodyReader::of_length(std::uint64_t length) {
  BodyReader reader{length == 0 ? At::end : At::bytes};
  reader.left_ = length;
  return reader;
}

BodyReader BodyReader::of_chunks(std::size_t size_max) {
  BodyReader reader{At::chunk_length};
  reader.size_max_ = size_max;
  return reader;
}

std::size_t BodyReader::put(std::string_view bytes, std::string& body) {
  std::size_t taken = 0;
  while (taken < bytes.size() && at_ != At::end && !refusal_) {
    if (at_ != At::bytes && at_ != At::chunk_bytes) {
      at_ = step(bytes[taken++], body.size());
      continue;
    }
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size() - taken));
    body.append(bytes.substr(taken, count));
    taken += count;
    left_ -= count;
    if (left_ == 0) at_ = at_ == At::bytes ? At::end : At::chunk_end;
  }
  return taken;
}

BodyReader::At BodyReader::step(char byte, std::size_t body_size) {
  switch (at_) {
    case At::chunk_length: return add_digit(byte);
    case At::chunk_length_end: return byte == '\n' ? begin_chunk(body_size) : refuse({400, bad_length});
    case At::chunk_end: return expect(byte, '\r', At::chunk_end_line, bad_end);
    case At::chunk_end_line: return expect(byte, '\n', At::chunk_length, bad_end);
    case At::last_end: return expect(byte, '\r', At::last_end_line, "headers behind the body are not accepted");
    case At::last_end_line: return expect(byte, '\n', At::end, bad_end);
    case At::bytes:
    case At::chunk_bytes:
    case At::end: break;
  }
  return at_;
}

BodyReader::At BodyReader::add_digit(char byte) {
  if (byte == '\r' && digit_count_ > 0) return At::chunk_length_end;
  if (byte == ';' && digit_count_ > 0) return refuse({400, "chunk extensions are not accepted"});
  const auto value = hex_value(byte);
  if (!value || ++digit_count_ > digit_count_max) return refuse({400, bad_length});
  left_ = left_ * 16 + *value;
  return At::chunk_length;
}

BodyReader::At BodyReader::begin_chunk(std::size_t body_size) {
  digit_count_ = 0;
  if (left_ == 0) return At::last_end;
  return left_ > size_max_ - body_size ? refuse({413, "the body is too large"}) : At::chunk_bytes;
}

BodyReader::At BodyReader::expect(char byte, char expected, At next, std::string_view fault) {
  return byte == expected ? next : refuse({400, fault});
}

BodyReader::At BodyReader::refuse(const Refusal& why) {
  refusal_ = why;
  return at_;
}

}  // namespace carillon::http
