#pragma once

#include "ports/log_store.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace carillon {

/// What is there of a log: its first bytes and its last.
struct LogView {
  std::string_view head;
  std::int64_t left_out_count = 0;  // between the two
  std::string_view tail;
  bool is_ended = false;
};

/// At most `count_max` bytes from a position in what the attempt has printed, counted from its first byte, whether it
/// was kept or not. Where bytes are missing stands a line that says how many; it counts for the size of the page, which
/// exceeds `count_max` if that line alone does.
[[nodiscard]] LogPage page_of(const LogView& log, std::int64_t offset, std::size_t count_max);

}  // namespace carillon
