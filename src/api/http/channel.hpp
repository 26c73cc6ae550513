#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace carillon::http {

/// How far an operation on a channel has come.
struct Progress {
  enum class State {
    done,
    wants_read,   // nothing happened; try again when the socket can be read
    wants_write,  // … or written
    ended,        // the other side sends nothing more
    failed,
  };

  State state = State::done;
  std::size_t count = 0;  // bytes, if done
};

/// Bytes in and out of a non-blocking socket, as they are or through TLS. Nothing here waits.
class Channel {
 public:
  virtual ~Channel() = default;

  /// To be done before reading and writing.
  virtual Progress shake_hands() = 0;
  virtual Progress read(std::span<char> into) = 0;
  /// Writes from the front of the pieces. After wants_…, the same bytes must be offered again, in whatever place.
  virtual Progress write(std::span<const std::string_view> pieces) = 0;
  /// Whether a read may succeed although the socket cannot be read, so that it must be tried before waiting.
  [[nodiscard]] virtual bool may_hold_bytes() const = 0;
  /// Why something failed, for the log; may be empty.
  [[nodiscard]] virtual std::string_view failure() const = 0;
  /// Tells the other side that nothing more comes, as far as that goes without waiting.
  virtual void say_goodbye() = 0;
};

/// The channel of a connected socket, which outlives it.
[[nodiscard]] std::unique_ptr<Channel> plain_channel(int socket);

/// Reads what is there, past any channel.
[[nodiscard]] Progress read_plain(int socket, std::span<char> into);

}  // namespace carillon::http
