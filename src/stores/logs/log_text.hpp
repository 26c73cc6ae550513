#pragma once

#include "ports/executor.hpp"
#include "ports/left_out_text.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace carillon {

// How a log stands in its file (docs/formats/logs.md): the bytes as they were printed, and marks of two bytes, the
// first of them NUL, which say what the bytes alone cannot.

/// Writes the bytes behind others that came from `current`, which becomes `stream`. At most four times their size.
[[nodiscard]] std::string encode(OutputStream stream, std::string_view bytes, OutputStream& current);
/// Says that so many bytes are left out here.
[[nodiscard]] std::string encode_left_out(std::int64_t count);
/// Says that nothing follows.
[[nodiscard]] std::string encode_end();

/// A file read back.
struct DecodedLog {
  std::string head;  // what was printed first
  std::int64_t left_out_count = 0;
  std::string tail;                         // what was printed last
  OutputStream stream = OutputStream::out;  // of the last byte
  bool is_ended = false;
  std::size_t sound_size = 0;  // how much of the file can be read; less than all after a crash in mid-write
};
[[nodiscard]] DecodedLog decode_log(std::string_view file);

}  // namespace carillon
