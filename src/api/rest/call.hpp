#pragma once

#include "api/http/message.hpp"
#include "api/rest/parameters.hpp"
#include "api/rest/probes.hpp"
#include "service/answer_cache.hpp"
#include "service/application.hpp"

#include <boost/json/value.hpp>

#include <string>
#include <vector>

namespace carillon::rest {

/// One request that has found its route, and whose caller is known and allowed.
struct Call {
  const http::Request& request;
  Application& application;
  const Probes& probes;
  AnswerCache& answers;
  Caller caller;
  std::vector<std::string> ids;  // what stood in the places of the pattern
  Parameters parameters;
  WriteTerms terms{};

  /// The schedule that the address names.
  [[nodiscard]] ScheduleName schedule() { return {.id = ids.at(0), .name_space = parameters.text("namespace")}; }
  /// The body as JSON; an empty one is an empty object.
  [[nodiscard]] Served<boost::json::value> body() const;
};

/// Notes every member that is null, where nothing may be: left out and null must not mean the same by accident.
void refuse_nulls(const boost::json::value& body, const std::string& pointer, Problems& problems);

}  // namespace carillon::rest
