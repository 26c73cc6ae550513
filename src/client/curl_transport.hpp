#pragma once

#include "client/transport.hpp"

#include <memory>

namespace carillon {

/// HTTP by libcurl. Keeps its connections open between requests. For one thread at a time.
class CurlTransport final : public Transport {
 public:
  CurlTransport();
  ~CurlTransport() override;

  [[nodiscard]] Result<ServerAnswer> perform(const ServerRequest& request) override;
  /// At most 16 at a time.
  [[nodiscard]] std::vector<Result<ServerAnswer>> perform_all(std::span<const ServerRequest> requests) override;
  [[nodiscard]] Result<ServerAnswer> stream(const ServerRequest& request, const Sink& sink) override;

 private:
  class Handle;
  class Group;
  [[nodiscard]] Handle& handle();

  std::unique_ptr<Handle> handle_;  // made at the first request: most commands need none
  std::unique_ptr<Group> group_;    // made where several requests are sent together
};

}  // namespace carillon
