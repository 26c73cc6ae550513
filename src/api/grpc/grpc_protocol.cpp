#include "api/grpc/grpc_protocol.hpp"

#include "api/grpc/connection.hpp"

#include <utility>

namespace carillon::grpc {

std::shared_ptr<http::ClientConnection> GrpcProtocol::connect(std::shared_ptr<http::Loop> loop,
                                                              const http::Client& client) {
  return std::make_shared<Connection>(std::move(loop), client, limits_, handler_);
}

}  // namespace carillon::grpc
