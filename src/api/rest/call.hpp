#pragma once

#include "api/http/message.hpp"
#include "api/http/request_target.hpp"
#include "api/rest/answer_cache.hpp"
#include "api/rest/parameters.hpp"
#include "api/rest/probes.hpp"
#include "api/rest/rate_limit.hpp"
#include "service/access.hpp"
#include "service/backfills.hpp"
#include "service/caller.hpp"
#include "service/queries.hpp"
#include "service/runs.hpp"
#include "service/schedules.hpp"
#include "service/system.hpp"
#include "service/workers.hpp"
#include "service/write_terms.hpp"

#include <boost/json/value.hpp>

#include <functional>
#include <string>
#include <vector>

namespace carillon::rest {

/// The use cases behind the routes.
struct Services {
  Services(const ServiceParts& service_parts, Probes server_probes, double starts_per_second)
      : parts{service_parts},
        probes{std::move(server_probes)},
        access{parts},
        schedules{parts},
        queries{parts, schedules},
        backfills{parts, schedules},
        runs{parts, schedules},
        workers{parts},
        system{parts},
        starts{starts_per_second, 2 * starts_per_second} {}

  ServiceParts parts;
  Probes probes;
  Access access;
  Schedules schedules;
  Queries queries;
  Backfills backfills;
  Runs runs;
  Workers workers;
  System system;
  AnswerCache answers;
  RateLimit starts;  // of each caller
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
  /// Counts runs that are about to be started against what the caller may start; refuses if there are too many.
  [[nodiscard]] Served<> count_starts(std::size_t count) const;
  /// Refuses a caller whose role does not allow this.
  [[nodiscard]] Served<> require(Scope scope) const;
};

/// What a route answers.
struct Reply {
  int status = 200;
  std::string body{};  // JSON, unless the headers say otherwise
  http::HeaderList headers{};
  std::function<void(bool is_sent)> on_sent{};  // see http::Response; called on a thread that may wait for the store
  bool is_worth_waiting = false;                // there is nothing yet; a caller who wants to wait is not answered now
};

/// Notes every member that is null, where nothing may be: left out and null must not mean the same by accident.
void refuse_nulls(const boost::json::value& body, const std::string& pointer, Problems& problems);

}  // namespace carillon::rest
