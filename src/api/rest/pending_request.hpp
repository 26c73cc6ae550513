#pragma once

#include "api/http/message.hpp"
#include "api/http/request_target.hpp"
#include "api/http/responder.hpp"
#include "api/rest/routes.hpp"
#include "service/caller.hpp"
#include "service/write_terms.hpp"

#include <string>
#include <vector>

namespace carillon::rest {

/// A request on its way: what its route needs stays alive until it is answered.
struct PendingRequest {
  http::Request request;
  std::string id{};
  http::Target target{};
  const Route* route = nullptr;
  std::vector<std::string> ids{};
  http::Responder responder;
  std::string password{};  // a token, where it may come as a password
  Caller caller{};
  WriteTerms terms{};

  [[nodiscard]] const Operation& operation() const { return operation_of(route->operation); }
};

}  // namespace carillon::rest
