#include "cli/terminal/line_reader.hpp"

#include <cstring>

namespace carillon::cli {

namespace {

Line line_of(std::string_view text) {
  if (text.ends_with('\r')) text.remove_suffix(1);
  return {.text = text};
}

constexpr Line too_long{.text = {}, .is_too_long = true};

}  // namespace

LineReader::LineReader(Console& console, std::size_t length_max)
    : console_{console}, length_max_{length_max}, buffer_(2 * length_max) {}

std::optional<Line> LineReader::buffered_line() {
  const void* found = std::memchr(buffer_.data() + scanned_, '\n', end_ - scanned_);
  if (found == nullptr) {
    scanned_ = end_;
    return std::nullopt;
  }
  const auto length = static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data()) - begin_;
  const std::string_view text{buffer_.data() + begin_, length};
  begin_ = scanned_ = begin_ + length + 1;
  const bool is_too_long = is_passing_over_ || length > length_max_;
  is_passing_over_ = false;
  return is_too_long ? too_long : line_of(text);
}

std::optional<Line> LineReader::last_line() {
  const std::string_view text{buffer_.data() + begin_, end_ - begin_};
  const bool is_too_long = is_passing_over_ || text.size() > length_max_;
  const bool is_nothing = text.empty() && !is_passing_over_;
  begin_ = scanned_ = end_;
  is_passing_over_ = false;
  if (is_nothing) return std::nullopt;
  return is_too_long ? too_long : line_of(text);
}

Result<void> LineReader::read_more() {
  // A line beyond the limit is forgotten as it comes, so that memory stays bounded.
  if (end_ - begin_ > length_max_) {
    is_passing_over_ = true;
    begin_ = end_;
  }
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  scanned_ = end_;
  const std::size_t length = TRY(console_.read(std::span{buffer_}.subspan(end_)));
  end_ += length;
  is_at_end_ = length == 0;
  return {};
}

}  // namespace carillon::cli
