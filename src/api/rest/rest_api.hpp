#pragma once

#include "api/http/http_server.hpp"
#include "api/http/message.hpp"
#include "api/http/responder.hpp"
#include "api/rest/call.hpp"
#include "api/rest/claim_waiters.hpp"
#include "api/rest/event_hub.hpp"
#include "api/rest/log_followers.hpp"
#include "api/rest/probes.hpp"
#include "api/rest/rate_limit.hpp"
#include "api/rest/refusal_audit.hpp"
#include "api/rest/routes.hpp"
#include "api/rest/task_threads.hpp"
#include "ports/log.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace carillon::rest {

struct RestOptions {
  std::size_t writer_count = 32;                   // threads that may wait for the store to write
  std::size_t reader_count = 4;                    // as many as the store has readers
  std::size_t question_count = 2;                  // threads for what takes long to work out
  std::size_t waiting_max = 4'096;                 // requests that may wait for a thread that writes, or reads
  std::size_t questions_waiting_max = 64;          // that may wait for a thread that works something out
  std::vector<std::string> allowed_origins{};      // of pages beside our own that may call this server
  double triggers_per_second = 1'000;              // of one token
  LoopMonitor* loops = nullptr;                    // watches the threads
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
  /// For http::ServerOptions::admit: only who may ask for it at all may send a large body.
  void admit(const http::Request& so_far, http::Verdict verdict);
  /// Something has been written to the store: those who watch or wait want to know.
  void wake();
  /// Ends what waits. Nothing may be handled any more.
  void stop();

  [[nodiscard]] Services& services() { return services_; }

 private:
  /// A request on its way: what its route needs stays alive until it is answered.
  struct PendingRequest;

  [[nodiscard]] std::optional<Served<Caller>> known_caller(const http::Request& request, const Route& route);
  [[nodiscard]] Served<Caller> caller_of(const http::Request& request, const Route& route);
  [[nodiscard]] Served<Caller> judged(Served<Caller> caller, const http::Request& request, const Route& route);
  [[nodiscard]] Served<> check_origin_and_media(const http::Request& request, const Route& route);
  void dispatch_by_mode(const std::shared_ptr<PendingRequest>& pending);
  void dispatch(TaskThreads& threads, const std::shared_ptr<PendingRequest>& pending, std::function<void()> work);
  void send(PendingRequest& pending, http::Response response);
  [[nodiscard]] http::ResponseStream start_stream(PendingRequest& pending, http::HeaderList headers);
  [[nodiscard]] http::Response answer(PendingRequest& pending);
  [[nodiscard]] http::Response answer_once(PendingRequest& pending, const IdempotencyKey& named);
  [[nodiscard]] http::Response perform(PendingRequest& pending);
  [[nodiscard]] http::Response repeat(PendingRequest& pending, const IdempotencyRecord& record);
  void start_events(PendingRequest& pending);
  void start_following(PendingRequest& pending);
  void answer_claim(PendingRequest& pending, http::Response response);
  void start_waiting(const std::shared_ptr<PendingRequest>& pending);
  void note_refusal(const http::Request& request, const Caller& caller, const Route& route);
  void record_refusals(std::vector<AuditEntry> entries);

  Services services_;
  RestOptions options_;
  Log& log_;
  RateLimit failures_;
  RefusalAudit refusals_;
  std::mutex mutex_;
  std::set<std::string> in_progress_;  // guarded: idempotency keys
  TaskThreads gate_;                   // looks up tokens that are not in memory
  TaskThreads readers_;                // apart, so that those who read a lot keep nobody from writing
  TaskThreads writers_;
  TaskThreads questions_;  // apart, so that nobody waits for those who ask what takes long to work out
  EventHub events_;
  LogFollowers followers_;
  ClaimWaiters waiters_;
};

}  // namespace carillon::rest
