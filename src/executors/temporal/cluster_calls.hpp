#pragma once

#include "base/instant.hpp"
#include "grpc_wire/client_session.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace carillon::workflows {

/// Calls of methods of a cluster. The answer comes later, on the same thread.
class ClusterCalls {
 public:
  virtual ~ClusterCalls() = default;
  using Done = std::function<void(grpc::ReceivedAnswer)>;
  /// `method` is one of WorkflowService.
  virtual void call(std::string_view method, std::string message, Duration timeout, Done done) = 0;
};

}  // namespace carillon::workflows
