#pragma once

#include "api/http/channel.hpp"
#include "api/http/http_server.hpp"
#include "base/error.hpp"

#include <memory>
#include <string_view>

namespace carillon::http {

inline constexpr std::string_view http_1_1 = "http/1.1";

/// Certificate, key and rules for the TLS connections of a server. Immutable, so connections may share it.
class TlsContext {
 public:
  /// Reads the files. TLS 1.2 and 1.3 only, forward secrecy only, no compression, no renegotiation.
  [[nodiscard]] static Result<std::shared_ptr<const TlsContext>> load(const TlsOptions& options);
  virtual ~TlsContext() = default;

  /// The server's side of a connected socket, which outlives it. `protocol` is what is spoken there, by its name in
  /// ALPN, which outlives it too: a client that offers names and not this one is refused.
  [[nodiscard]] virtual std::unique_ptr<Channel> channel(int socket, std::string_view protocol) const = 0;
};

}  // namespace carillon::http
