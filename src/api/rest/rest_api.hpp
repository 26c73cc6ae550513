#pragma once

#include "api/http/message.hpp"
#include "api/http/responder.hpp"
#include "api/rest/call.hpp"
#include "api/rest/claim_waiters.hpp"
#include "api/rest/event_hub.hpp"
#include "api/rest/log_followers.hpp"
#include "api/rest/probes.hpp"
#include "api/rest/rate_limit.hpp"
#include "api/rest/routes.hpp"
#include "api/rest/task_threads.hpp"
#include "ports/log.hpp"

#include <chrono>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace carillon::rest {

struct RestOptions {
  std::size_t writer_count = 32;                   // threads that may wait for the store to write
  std::size_t reader_count = 4;                    // as many as the store has readers
  std::vector<std::string> allowed_origins{};      // of pages beside our own that may call this server
  double triggers_per_second = 1'000;              // of one token
  std::chrono::milliseconds beat_interval{2'000};  // of event streams: how soon one of a revoked token ends
};

/// The REST interface: finds the route of a request and its caller, checks that one may do the other, and answers.
/// Decides nothing itself.
class RestApi {
 public:
  RestApi(const ServiceParts& parts, Probes probes, const RestOptions& options, Log& log);
  ~RestApi();

  /// For http::Server.
  void handle(http::Request request, http::Responder responder);
  /// Something has been written to the store: those who watch or wait want to know.
  void wake();
  /// Ends what waits. Nothing may be handled any more.
  void stop();

  [[nodiscard]] Services& services() { return services_; }

 private:
  /// A request on its way: what its route needs stays alive until it is answered.
  struct Journey;

  [[nodiscard]] Served<Caller> caller_of(const http::Request& request, const Route& route);
  [[nodiscard]] Served<> check_manners(const http::Request& request, const Route& route);
  void travel(const std::shared_ptr<Journey>& journey);
  [[nodiscard]] http::Response answer(Journey& journey);
  [[nodiscard]] http::Response answer_once(Journey& journey, std::string_view key);
  [[nodiscard]] http::Response perform(Journey& journey);
  [[nodiscard]] http::Response repeat(Journey& journey, const IdempotencyRecord& record);
  void start_events(Journey& journey);
  void start_following(Journey& journey);
  void start_waiting(const std::shared_ptr<Journey>& journey);
  void note_refusal(const http::Request& request, const Caller& caller, const Route& route);

  Services services_;
  RestOptions options_;
  Log& log_;
  RateLimit failures_;
  RateLimit triggers_;
  std::mutex mutex_;
  std::set<std::string> in_progress_;  // guarded: idempotency keys
  EventHub events_;
  LogFollowers followers_;
  ClaimWaiters waiters_;
  TaskThreads readers_;  // apart, so that those who read a lot keep nobody from writing
  TaskThreads writers_;
};

}  // namespace carillon::rest
