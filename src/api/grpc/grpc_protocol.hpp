#pragma once

#include "api/grpc/call.hpp"
#include "api/grpc/session.hpp"
#include "api/http/protocol.hpp"

#include <memory>
#include <string_view>

namespace carillon::grpc {

/// gRPC over HTTP/2, for an address of an http::Server: its threads, TLS, limits and way to stop are those of the
/// server. Without TLS the client begins with HTTP/2 at once ("prior knowledge").
class GrpcProtocol final : public http::Protocol {
 public:
  /// The handler outlives the server.
  explicit GrpcProtocol(CallHandler& handler, const SessionLimits& limits = {}) : handler_{handler}, limits_{limits} {}

  [[nodiscard]] std::string_view name() const override { return "h2"; }
  [[nodiscard]] std::shared_ptr<http::ClientConnection> connect(std::shared_ptr<http::Loop> loop,
                                                                const http::Client& client) override;

 private:
  CallHandler& handler_;
  const SessionLimits limits_;
};

}  // namespace carillon::grpc
