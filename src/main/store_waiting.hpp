#pragma once

#include "api/http/http_server.hpp"
#include "base/error.hpp"
#include "base/instant.hpp"
#include "main/api_server.hpp"
#include "main/service_manager.hpp"
#include "ports/clock.hpp"
#include "ports/log.hpp"

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace carillon {

/// A server that starts while its database is away: it listens where its API will be, lives, is not ready, and says
/// why. Everything else is answered with 503. A process without an API only says so in its log.
class StoreWaiting {
 public:
  /// `rest` lets so much time pass, and returns false if the server is to end instead. `time_max`: after that the
  /// failure is the server's; none: it waits for as long as it takes.
  StoreWaiting(const ApiOptions& options, bool has_api, std::optional<Duration> time_max,
               std::function<bool(Duration)> rest, Clock& clock, ServiceManager& manager, Log& log);

  /// One turn (see StoreWait).
  [[nodiscard]] Result<> wait(const Error& failure, Duration pause);

  /// Whether it was told to end while it waited.
  [[nodiscard]] bool was_stopped() const { return was_stopped_; }
  /// Gives the address back. Where the API is to listen: a port that was found for it stays.
  [[nodiscard]] std::string end();

 private:
  void tell(const Error& failure);
  [[nodiscard]] Result<> listen();
  void answer(const http::Request& request, http::Responder responder);

  const ApiOptions options_;
  const bool has_api_;
  const std::optional<Duration> time_max_;
  std::function<bool(Duration)> rest_;
  Clock& clock_;
  ServiceManager& manager_;
  Log& log_;
  const Duration began_;
  std::string listen_;
  bool was_stopped_ = false;
  std::mutex mutex_;
  std::optional<Error> failure_;  // guarded
  std::unique_ptr<http::Server> http_;
};

}  // namespace carillon
