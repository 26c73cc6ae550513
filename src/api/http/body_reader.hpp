#pragma once

#include "api/http/refusal.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace carillon::http {

/// Reads a body that is given by its length, or comes in chunks, byte by byte as far as its form goes. Of chunks
/// nothing but the plain form is accepted: no extensions, no headers behind the last one. Beast reads those, but
/// differently depending on the pieces they come in, and its assertions can be broken from outside.
class BodyReader {
 public:
  [[nodiscard]] static BodyReader of_length(std::uint64_t length);
  [[nodiscard]] static BodyReader of_chunks(std::size_t size_max);

  /// Takes bytes and returns how many: all, unless the body is complete before, or refused. Appends to `body`.
  std::size_t put(std::string_view bytes, std::string& body);

  [[nodiscard]] bool is_complete() const { return at_ == At::end; }
  [[nodiscard]] const std::optional<Refusal>& refusal() const { return refusal_; }

 private:
  enum class At {
    bytes,
    chunk_length,
    chunk_length_end,
    chunk_bytes,
    chunk_end,
    chunk_end_line,
    last_end,
    last_end_line,
    end
  };

  explicit BodyReader(At at) : at_{at} {}

  [[nodiscard]] At step(char byte, std::size_t body_size);
  [[nodiscard]] At add_digit(char byte);
  [[nodiscard]] At begin_chunk(std::size_t body_size);
  At expect(char byte, char expected, At next, std::string_view fault);
  At refuse(const Refusal& why);

  At at_;
  std::uint64_t left_ = 0;  // of the body or the chunk
  std::size_t digit_count_ = 0;
  std::size_t size_max_ = 0;
  std::optional<Refusal> refusal_;
};

}  // namespace carillon::http
