#pragma once

#include "api/http/connection_counter.hpp"
#include "api/http/http_server.hpp"
#include "api/http/tls.hpp"
#include "ports/log.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>

namespace carillon::http {

/// What all threads of a server share. It outlives the server as long as somebody holds a Responder, but is used by the
/// server's threads only.
class ServerState {
 public:
  ServerState(ServerOptions server_options, Handler request_handler, Log& server_log,
              std::shared_ptr<const TlsContext> tls);

  const ServerOptions options;
  const Handler handler;
  Log& log;
  ConnectionCounter connections;
  std::atomic<std::uint64_t> request_count = 0;
  std::atomic<std::uint64_t> refusal_count = 0;
  std::atomic<std::uint64_t> dropped_stream_count = 0;
  std::atomic<std::size_t> body_size_total = 0;  // of the bodies that are being received

  /// The answer to what is refused, and the end of its connection.
  [[nodiscard]] Response refusal(int status, std::string_view detail) const;

  [[nodiscard]] std::shared_ptr<const TlsContext> tls() const;
  void replace_tls(std::shared_ptr<const TlsContext> tls);

 private:
  [[nodiscard]] Response described(int status, std::string_view detail) const;

  mutable std::mutex mutex_;
  std::shared_ptr<const TlsContext> tls_;
};

}  // namespace carillon::http
