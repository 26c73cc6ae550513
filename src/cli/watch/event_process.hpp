#pragma once

#include "client/client.hpp"

#include <sys/types.h>

namespace carillon::cli {

/// Follows the events of a server in a process of its own, and tells through a pipe that there were some. So that a
/// program can wait for keys and events at once, and end at once however quiet the stream is.
class EventProcess {
 public:
  explicit EventProcess(const Endpoint& endpoint);
  EventProcess(const EventProcess&) = delete;
  EventProcess& operator=(const EventProcess&) = delete;
  ~EventProcess();

  /// To be polled: readable when there was an event. -1 when there is no such process, or it has ended.
  [[nodiscard]] int descriptor() const { return descriptor_; }
  /// Takes what has been told so far.
  void drain();

 private:
  pid_t process_ = -1;
  int descriptor_ = -1;
};

}  // namespace carillon::cli
