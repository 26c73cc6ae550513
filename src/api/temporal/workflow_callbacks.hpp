#pragma once

#include "api/http/message.hpp"

#include <functional>
#include <optional>
#include <string_view>
#include <utility>

namespace carillon::temporal {

/// Answers clusters that tell by HTTP that a workflow has ended. They need no token: they give back what they got with
/// the start. What they say of the end is not read, since it is looked at on the cluster. From any thread.
class WorkflowCallbacks {
 public:
  /// Whether the key fits the attempt, which is looked at then. It may not wait.
  using Take = std::function<bool(std::string_view attempt, std::string_view key)>;
  explicit WorkflowCallbacks(Take take) : take_{std::move(take)} {}

  /// None if the request is none of these. The head is enough.
  [[nodiscard]] std::optional<http::Response> answer(const http::Request& request) const;

 private:
  Take take_;
};

}  // namespace carillon::temporal
