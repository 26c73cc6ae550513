#include "stores/logs/log_text.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace carillon {
namespace {

constexpr char mark = '\0';
constexpr char mark_nul = '0';
constexpr char mark_out = 'o';
constexpr char mark_error = 'e';
constexpr char mark_left_out = '-';
constexpr char mark_end = '.';

struct LeftOut {
  std::int64_t count;
  std::size_t text_size;
};

/// Reads what left_out_text() wrote at the front.
std::optional<LeftOut> left_out_at(std::string_view text) {
  if (!text.starts_with(left_out_begin)) return std::nullopt;
  const std::string_view digits = text.substr(left_out_begin.size());
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  const auto digit_count = static_cast<std::size_t>(end - digits.data());
  if (error != std::errc{} || count < 0 || !digits.substr(digit_count).starts_with(left_out_end)) return std::nullopt;
  return LeftOut{.count = count, .text_size = left_out_begin.size() + digit_count + left_out_end.size()};
}

}  // namespace

std::string encode(OutputStream stream, std::string_view bytes, OutputStream& current) {
  std::string out;
  if (stream != current) out.append({mark, stream == OutputStream::out ? mark_out : mark_error});
  current = stream;
  while (true) {
    const std::size_t plain_size = std::min(bytes.find(mark), bytes.size());
    out += bytes.substr(0, plain_size);
    if (plain_size == bytes.size()) return out;
    out.append({mark, mark_nul});
    bytes.remove_prefix(plain_size + 1);
  }
}

std::string encode_left_out(std::int64_t count) { return std::string{mark, mark_left_out} + left_out_text(count); }

std::string encode_end() { return {mark, mark_end}; }

DecodedLog decode_log(std::string_view file) {
  DecodedLog log;
  bool is_tail = false;
  std::string_view rest = file;
  while (!rest.empty() && !log.is_ended) {
    const std::size_t plain_size = std::min(rest.find(mark), rest.size());
    std::string& text = is_tail ? log.tail : log.head;
    text += rest.substr(0, plain_size);
    rest.remove_prefix(plain_size);
    log.sound_size += plain_size;
    if (rest.size() < 2) break;
    std::size_t mark_size = 2;
    switch (rest[1]) {
      case mark_nul: text += '\0'; break;
      case mark_out: log.stream = OutputStream::out; break;
      case mark_error: log.stream = OutputStream::error; break;
      case mark_end: log.is_ended = true; break;
      case mark_left_out: {
        const auto left_out = left_out_at(rest.substr(2));
        if (!left_out || is_tail) return log;
        log.left_out_count = left_out->count;
        mark_size += left_out->text_size;
        is_tail = true;
        break;
      }
      default: return log;
    }
    rest.remove_prefix(mark_size);
    log.sound_size += mark_size;
  }
  return log;
}

}  // namespace carillon
