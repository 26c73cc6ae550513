#pragma once

#include "ports/log_store.hpp"
#include "stores/logs/open_files.hpp"
#include "stores/logs/tail_ring.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace carillon {

/// The log of one attempt that runs: its head goes to the file as it comes, its tail stays in memory until the end.
/// What cannot be written goes to the tail. For one thread at a time.
class OpenLog {
 public:
  OpenLog(const LogKey& key, OpenFiles& files, TailMemory& memory, std::size_t head_size_max, std::size_t tail_size_max)
      : key_{key}, files_{files}, head_size_max_{head_size_max}, tail_{memory, tail_size_max} {}

  /// Does not throw: without memory, bytes are left out.
  void append(OutputStream stream, std::string_view bytes);
  /// Writes the tail and everything to the disk. The error is the first one that made bytes be left out.
  [[nodiscard]] Result<> close();
  /// Nothing is written any more.
  void abandon() { is_closed_ = true; }

  /// Also when the file says that the attempt has ended before.
  [[nodiscard]] bool is_closed() const { return is_closed_; }
  [[nodiscard]] Result<LogPage> read(std::int64_t offset, std::size_t count_max) const;

 private:
  void take_up();
  [[nodiscard]] std::int64_t printed_count() const;
  [[nodiscard]] bool append_head(OutputStream stream, std::string_view bytes);
  [[nodiscard]] Result<> write(std::string_view encoded);
  [[nodiscard]] Result<> write_tail();
  [[nodiscard]] std::string encoded_tail() const;
  void note(Result<> result);

  const LogKey key_;
  OpenFiles& files_;
  const std::size_t head_size_max_;

  bool is_taken_up_ = false;
  bool is_head_over_ = false;
  bool is_closed_ = false;
  std::int64_t file_size_ = 0;
  std::size_t head_size_ = 0;                // bytes as they were printed
  OutputStream stream_ = OutputStream::out;  // of the last byte of the head
  TailRing tail_;
  std::optional<Error> error_;
};

}  // namespace carillon
