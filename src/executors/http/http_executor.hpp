#pragma once

#include "executors/http/http_options.hpp"
#include "ports/clock.hpp"
#include "ports/executor.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace carillon {

/// Performs HTTP actions: one request per attempt, sent at most once. One thread moves all of them.
///
/// An attempt counts as launched when its request is about to be sent. What goes wrong before (a template that cannot
/// be filled in, a secret that the assignment does not have, a name that cannot be resolved, an address that may not be
/// called) makes it fail without having been launched; only one that comes too late ends as too_late. stop() ends a
/// transfer at once, however it is asked. What the server answers is the attempt's output. Secrets are masked in
/// everything that is told.
class HttpExecutor final : public Executor {
 public:
  HttpExecutor(Clock& clock, AttemptEvents& events, HttpOptions options);
  HttpExecutor(const HttpExecutor&) = delete;
  HttpExecutor& operator=(const HttpExecutor&) = delete;
  /// Ends what is on its way; nobody is told any more.
  ~HttpExecutor() override;

  void launch(Assignment assignment) override;
  void stop(const AttemptKey& key, Stop how) override;
  void extend_until(Duration since_boot) override;

  /// Where this server listens: closed on all addresses of this machine, for requests that are launched from now on.
  void close_ports(std::vector<std::uint16_t> own_ports);

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
};

}  // namespace carillon
