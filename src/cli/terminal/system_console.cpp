#include "cli/terminal/system_console.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace carillon::cli {

namespace {

/// Writes all of it; the number of the error, or 0.
int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

}  // namespace

Result<std::size_t> SystemConsole::read(std::span<char> buffer) {
  for (;;) {
    const ssize_t length = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (length >= 0) return static_cast<std::size_t>(length);
    if (errno != EINTR) {
      return fail(ErrorCode::unavailable, "cannot read standard input: {}", std::strerror(errno));
    }
  }
}

void SystemConsole::write(std::string_view text) {
  if (output_state_ != OutputState::open) return;
  const int error = write_all(STDOUT_FILENO, text);
  if (error != 0) output_state_ = error == EPIPE ? OutputState::reader_gone : OutputState::failed;
}

void SystemConsole::write_error(std::string_view text) {
  // Nobody is left to be told when standard error fails.
  static_cast<void>(write_all(STDERR_FILENO, text));
}

std::optional<std::string> SystemConsole::environment(const std::string& name) const {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>{value};
}

bool SystemConsole::is_terminal(Stream stream) const {
  return ::isatty(stream == Stream::output ? STDOUT_FILENO : STDERR_FILENO) == 1;
}

std::optional<std::size_t> SystemConsole::terminal_width() const {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return std::nullopt;
  return size.ws_col;
}

Instant SystemConsole::clock() const { return std::chrono::floor<Duration>(std::chrono::system_clock::now()); }

}  // namespace carillon::cli
