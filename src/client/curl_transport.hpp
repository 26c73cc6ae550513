#pragma once

#include "client/transport.hpp"

#include <memory>

namespace carillon {

/// HTTP by libcurl. Keeps its connection open between requests. For one thread at a time.
class CurlTransport final : public Transport {
 public:
  CurlTransport();
  ~CurlTransport() override;

  [[nodiscard]] Result<ServerAnswer> perform(const ServerRequest& request) override;
  [[nodiscard]] Result<ServerAnswer> stream(const ServerRequest& request, const Sink& sink) override;

 private:
  class Handle;
  [[nodiscard]] Handle& handle();

  std::unique_ptr<Handle> handle_;  // made at the first request: most commands need none
};

}  // namespace carillon
