#pragma once

#include "api/http/channel.hpp"
#include "api/http/http_server.hpp"
#include "base/error.hpp"

#include <memory>

namespace carillon::http {

/// Certificate, key and rules for the TLS connections of a server. Immutable, so connections may share it.
class TlsContext {
 public:
  /// Reads the files. TLS 1.2 and 1.3 only, forward secrecy only, no compression, no renegotiation, `http/1.1` by ALPN.
  [[nodiscard]] static Result<std::shared_ptr<const TlsContext>> load(const TlsOptions& options);
  virtual ~TlsContext() = default;

  /// The server's side of a connected socket, which outlives it.
  [[nodiscard]] virtual std::unique_ptr<Channel> channel(int socket) const = 0;
};

}  // namespace carillon::http
