#pragma once

#include "cli/watch/event_process.hpp"
#include "cli/watch/screen.hpp"

#include <signal.h>  // sigset_t
#include <termios.h>

#include <chrono>
#include <memory>

namespace carillon::cli {

/// The terminal of this process as a screen: the other page of it, keys as they are typed. All is as before when this
/// is gone; signals that would end the process end it through here.
class TerminalScreen final : public Screen {
 public:
  /// `events` outlives it.
  [[nodiscard]] static Result<std::unique_ptr<TerminalScreen>> open(EventProcess& events);
  TerminalScreen(const TerminalScreen&) = delete;
  TerminalScreen& operator=(const TerminalScreen&) = delete;
  ~TerminalScreen() override;

  [[nodiscard]] Size size() const override;
  void show(const std::vector<std::string>& lines) override;
  [[nodiscard]] Happening wait(Duration longest) override;

 private:
  TerminalScreen(EventProcess& events, int signals, const sigset_t& mask_before, const termios& before);

  void take_signals(Happening& what);
  void take_keys(Happening& what);

  EventProcess& events_;
  int signals_;  // a descriptor that tells them
  sigset_t mask_before_;
  termios before_;
  std::chrono::steady_clock::time_point news_told_{};
};

}  // namespace carillon::cli
