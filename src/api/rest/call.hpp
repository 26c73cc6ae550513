#pragma once

#include "api/http/message.hpp"
#include "api/http/request_target.hpp"
#include "api/rest/answer_cache.hpp"
#include "api/rest/parameters.hpp"
#include "api/rest/probes.hpp"
#include "service/access.hpp"
#include "service/backfills.hpp"
#include "service/caller.hpp"
#include "service/questions.hpp"
#include "service/runs.hpp"
#include "service/schedules.hpp"
#include "service/system.hpp"
#include "service/workers.hpp"
#include "service/write_terms.hpp"

#include <boost/json/value.hpp>

#include <string>
#include <vector>

namespace carillon::rest {

/// The use cases behind the routes.
struct Services {
  Services(const ServiceParts& service_parts, Probes server_probes)
      : parts{service_parts},
        probes{std::move(server_probes)},
        access{parts},
        schedules{parts},
        questions{parts, schedules},
        backfills{parts, schedules},
        runs{parts, schedules},
        workers{parts},
        system{parts} {}

  ServiceParts parts;
  Probes probes;
  Access access;
  Schedules schedules;
  Questions questions;
  Backfills backfills;
  Runs runs;
  Workers workers;
  System system;
  AnswerCache answers;
};

/// One request that has found its route, and whose caller is known and allowed.
struct Call {
  const http::Request& request;
  Services& services;
  Caller caller;
  std::vector<std::string> ids;  // what stood in the places of the pattern
  Parameters parameters;
  WriteTerms terms{};

  /// The schedule that the address names.
  [[nodiscard]] ScheduleName schedule() { return {.id = ids.at(0), .name_space = parameters.text("namespace")}; }
  /// The body as JSON; an empty one is an empty object.
  [[nodiscard]] Served<boost::json::value> body() const;
};

/// What a route answers.
struct Reply {
  int status = 200;
  std::string body{};  // JSON, unless the headers say otherwise
  http::HeaderList headers{};
};

}  // namespace carillon::rest
