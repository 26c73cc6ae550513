#pragma once

#include <sys/types.h>

#include <cstdint>

namespace carillon::bench {

/// A service in OpenAI style on this machine that answers every question at once, in a process of its own, so that
/// neither its memory nor its time is counted with ours. To be made before there are threads.
class LoopbackProvider {
 public:
  LoopbackProvider();
  LoopbackProvider(const LoopbackProvider&) = delete;
  LoopbackProvider& operator=(const LoopbackProvider&) = delete;
  ~LoopbackProvider();

  [[nodiscard]] std::uint16_t port() const { return port_; }

 private:
  std::uint16_t port_ = 0;
  pid_t pid_ = 0;
};

}  // namespace carillon::bench
