#include "stores/logs/open_log.hpp"

#include "stores/logs/log_page.hpp"
#include "stores/logs/log_text.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <string>
#include <system_error>
#include <utility>

namespace carillon {

void OpenLog::append(OutputStream stream, std::string_view bytes) {
  const std::int64_t printed_count = this->printed_count() + static_cast<std::int64_t>(bytes.size());
  try {
    if (!std::exchange(is_taken_up_, true)) take_up();
    if (is_closed_) return;
    if (!is_head_over_) {
      const std::string_view first = bytes.substr(0, head_size_max_ - head_size_);
      if (append_head(stream, first)) bytes.remove_prefix(first.size());
    }
    tail_.append(stream, bytes);
  } catch (const std::bad_alloc&) {
    is_head_over_ = true;
    tail_.skip(printed_count - this->printed_count());
  }
}

std::int64_t OpenLog::printed_count() const {
  return static_cast<std::int64_t>(head_size_ + tail_.size()) + tail_.dropped_count();
}

/// A server that died may have left a beginning, its last bytes half written.
void OpenLog::take_up() {
  auto file = files_.get(key_);
  if (!file) return note(std::unexpected(std::move(file).error()));
  const auto bytes = files_.folder().read_file(key_);
  if (!bytes) return note(std::unexpected(bytes.error()));
  const DecodedLog earlier = decode_log(*bytes);
  is_closed_ = earlier.is_ended || earlier.left_out_count > 0;
  head_size_ = earlier.head.size();
  stream_ = earlier.stream;
  file_size_ = static_cast<std::int64_t>(earlier.sound_size);
  is_head_over_ = head_size_ >= head_size_max_;
  if (!is_closed_ && earlier.sound_size < bytes->size() && ::ftruncate((*file)->number(), file_size_) != 0)
    note(fail(ErrorCode::unavailable, "cannot cut a log: {}", std::generic_category().message(errno)));
}

bool OpenLog::append_head(OutputStream stream, std::string_view bytes) {
  OutputStream current = stream_;
  const std::string encoded = encode(stream, bytes, current);
  if (auto written = write(encoded); !written) {
    note(std::move(written));
    return false;
  }
  stream_ = current;
  head_size_ += bytes.size();
  is_head_over_ = head_size_ == head_size_max_;
  return true;
}

Result<> OpenLog::write(std::string_view encoded) {
  const auto file = TRY(files_.get(key_));
  TRY(append_to(*file, encoded, file_size_));
  file_size_ += static_cast<std::int64_t>(encoded.size());
  return {};
}

/// What comes after bytes that are missing cannot stand in the head.
void OpenLog::note(Result<> result) {
  if (result) return;
  is_head_over_ = true;
  if (!error_) error_ = std::move(result).error();
}

std::string OpenLog::encoded_tail() const {
  std::string out;
  if (tail_.dropped_count() > 0) out += encode_left_out(tail_.dropped_count());
  const std::string text = tail_.text();
  OutputStream current = stream_;
  std::size_t at = 0;
  for (const TailRing::Stretch& stretch : tail_.stretches()) {
    out += encode(stretch.stream, std::string_view{text}.substr(at, stretch.size), current);
    at += stretch.size;
  }
  return out + encode_end();
}

Result<> OpenLog::write_tail() {
  auto written = write(encoded_tail());
  if (written) return {};
  // A few bytes may still find room, and without them nobody would see that something is missing.
  const std::int64_t left_out_count = tail_.dropped_count() + static_cast<std::int64_t>(tail_.size());
  if (left_out_count > 0) static_cast<void>(write(encode_left_out(left_out_count) + encode_end()));
  return written;
}

Result<> OpenLog::close() {
  if (std::exchange(is_closed_, true)) return {};
  note(write_tail());
  if (const auto file = files_.get(key_)) {
    if (::fdatasync((*file)->number()) != 0)
      note(fail(ErrorCode::unavailable, "cannot write out a log: {}", std::generic_category().message(errno)));
    note(files_.folder().sync_names(key_.uid));
  }
  if (error_) return std::unexpected(*error_);
  return {};
}

Result<LogPage> OpenLog::read(std::int64_t offset, std::size_t count_max) const {
  const auto bytes = files_.folder().read_file(key_);
  // Only a log that could not be begun on the disk may do without a file.
  if (!bytes && (is_closed_ || !is_head_over_ || head_size_ > 0)) return std::unexpected(bytes.error());
  const DecodedLog log = decode_log(bytes ? std::string_view{*bytes} : std::string_view{});
  if (is_closed_)
    return page_of({.head = log.head, .left_out_count = log.left_out_count, .tail = log.tail, .is_ended = true}, offset,
                   count_max);
  const std::string tail = tail_.text();
  return page_of({.head = log.head, .left_out_count = tail_.dropped_count(), .tail = tail, .is_ended = false}, offset,
                 count_max);
}

}  // namespace carillon
