#include "cli/watch/terminal_screen.hpp"

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace carillon::cli {

namespace {

/// Events come in bursts, and the present is read anew for each: not more often than this.
constexpr auto news_interval = std::chrono::milliseconds{300};

constexpr std::string_view enter = "\x1b[?1049h\x1b[?25l\x1b[2J";
constexpr std::string_view leave = "\x1b[?25h\x1b[?1049l";

void write_all(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written >= 0)
      text.remove_prefix(static_cast<std::size_t>(written));
    else if (errno != EINTR)
      return;  // a terminal that is gone is noticed by the next poll
  }
}

sigset_t ending_signals() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH}) ::sigaddset(&set, signal);
  return set;
}

/// Keys as they are typed, not shown by the terminal itself; Ctrl-C is a key.
termios raw(termios settings) {
  ::cfmakeraw(&settings);
  settings.c_cc[VMIN] = 0;
  settings.c_cc[VTIME] = 0;
  return settings;
}

}  // namespace

Result<std::unique_ptr<TerminalScreen>> TerminalScreen::open(EventProcess& events) {
  termios before{};
  if (::tcgetattr(STDIN_FILENO, &before) != 0)
    return fail(ErrorCode::invalid_argument, "standard input is not a terminal; watch needs one to read keys");
  const sigset_t signals = ending_signals();
  sigset_t mask_before;
  ::pthread_sigmask(SIG_BLOCK, &signals, &mask_before);
  const int descriptor = ::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  const termios settings = raw(before);
  if (descriptor < 0 || ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings) != 0) {
    const int error = errno;
    if (descriptor >= 0) ::close(descriptor);
    ::pthread_sigmask(SIG_SETMASK, &mask_before, nullptr);
    return fail(ErrorCode::unavailable, "cannot use the terminal: {}", std::strerror(error));
  }
  return std::unique_ptr<TerminalScreen>{new TerminalScreen{events, descriptor, mask_before, before}};
}

TerminalScreen::TerminalScreen(EventProcess& events, int signals, const sigset_t& mask_before, const termios& before)
    : events_{events}, signals_{signals}, mask_before_{mask_before}, before_{before} {
  write_all(enter);
}

TerminalScreen::~TerminalScreen() {
  // In this order: whoever sees the page gone finds the terminal as it was.
  ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
  write_all(leave);
  ::close(signals_);
  ::pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
}

Screen::Size TerminalScreen::size() const {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return {};
  return {.columns = size.ws_col, .rows = size.ws_row};
}

void TerminalScreen::show(const std::vector<std::string>& lines) {
  std::string text = "\x1b[H";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) text += "\r\n";
    text += lines[i];
    text += "\x1b[K";
  }
  write_all(text + "\x1b[J");
}

Screen::Happening TerminalScreen::wait(Duration longest) {
  const auto since_news = std::chrono::steady_clock::now() - news_told_;
  const bool may_tell_news = since_news >= news_interval;
  // A negative descriptor is passed over: news that come too soon wait in the pipe.
  std::array<pollfd, 3> sources{{{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0},
                                 {.fd = signals_, .events = POLLIN, .revents = 0},
                                 {.fd = may_tell_news ? events_.descriptor() : -1, .events = POLLIN, .revents = 0}}};
  auto length = std::chrono::ceil<std::chrono::milliseconds>(longest);
  if (!may_tell_news)
    length = std::min(length, std::chrono::ceil<std::chrono::milliseconds>(news_interval - since_news));
  Happening what;
  if (::poll(sources.data(), sources.size(), static_cast<int>(length.count())) <= 0) return what;
  if ((sources[1].revents & POLLIN) != 0) take_signals(what);
  if ((sources[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0) take_keys(what);
  if (sources[2].revents != 0) {
    events_.drain();
    news_told_ = std::chrono::steady_clock::now();
    what.has_news = true;
  }
  return what;
}

void TerminalScreen::take_signals(Happening& what) {
  signalfd_siginfo signal{};
  while (::read(signals_, &signal, sizeof signal) == static_cast<ssize_t>(sizeof signal))
    what.is_over = what.is_over || signal.ssi_signo != SIGWINCH;
}

void TerminalScreen::take_keys(Happening& what) {
  std::array<char, 256> keys{};
  const ssize_t length = ::read(STDIN_FILENO, keys.data(), keys.size());
  if (length > 0) what.keys.assign(keys.data(), static_cast<std::size_t>(length));
  // Readable without anything to read: whoever typed is gone.
  if (length == 0 || (length < 0 && errno != EAGAIN && errno != EINTR)) what.is_over = true;
}

}  // namespace carillon::cli
