#pragma once

#include "api/http/http_server.hpp"
#include "api/http/message.hpp"
#include "api/http/responder.hpp"
#include "api/rest/call.hpp"
#include "api/rest/event_stream.hpp"
#include "api/rest/pending_request.hpp"
#include "api/rest/probes.hpp"
#include "base/task_threads.hpp"
#include "service/answer_cache.hpp"
#include "service/application.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace carillon::rest {

struct RestOptions {
  std::size_t writer_count = 32;               // threads that may wait for the store to write
  std::size_t reader_count = 4;                // as many as the store has readers
  std::size_t question_count = 2;              // threads for what takes long to work out
  std::size_t waiting_max = 4'096;             // requests that may wait for a thread that writes, or reads
  std::size_t questions_waiting_max = 64;      // that may wait for a thread that works something out
  std::vector<std::string> allowed_origins{};  // of pages beside our own that may call this server
  LoopMonitor* loops = nullptr;                // watches the threads
};

/// The REST interface: finds the route of a request, hands it to the application and translates the answer. Decides
/// nothing itself.
class RestApi {
 public:
  /// The application outlives this.
  RestApi(Application& application, Probes probes, const RestOptions& options, Log& log);
  ~RestApi();
  RestApi(const RestApi&) = delete;
  RestApi& operator=(const RestApi&) = delete;

  /// For http::Server. Does not wait.
  void handle(http::Request request, http::Responder responder);
  /// For http::ServerOptions::admit: only a caller who may ask for it at all may send a large body. Does not wait.
  void admit(const http::Request& so_far, http::Verdict verdict);
  /// Stops the application too, since it may still have streams and claims of this. Nothing may be handled any more.
  /// Safe to call twice.
  void stop();

 private:
  class ClaimAnswer;

  void start(std::shared_ptr<PendingRequest> pending);
  void dispatch_by_mode(const std::shared_ptr<PendingRequest>& pending);
  void dispatch(TaskThreads& threads, const std::shared_ptr<PendingRequest>& pending, std::function<void()> work);
  void send(PendingRequest& pending, http::Response response);
  [[nodiscard]] http::ResponseStream start_stream(PendingRequest& pending, http::HeaderList headers);
  [[nodiscard]] Call call_of(const PendingRequest& pending);

  // rest_answers.cpp: what requests are answered
  [[nodiscard]] http::Response answer(PendingRequest& pending);
  [[nodiscard]] http::Response answer_once(PendingRequest& pending, const IdempotencyKey& key);
  [[nodiscard]] http::Response repeat(PendingRequest& pending, const IdempotencyRecord& record);
  [[nodiscard]] http::Response perform(PendingRequest& pending);
  [[nodiscard]] http::Response refused(const PendingRequest& pending, const Refusal& refusal);
  void start_events(PendingRequest& pending);
  void start_following(PendingRequest& pending);
  void start_claim(const std::shared_ptr<PendingRequest>& pending);

  Application& application_;
  const Probes probes_;
  const RestOptions options_;
  Log& log_;
  const EventStreamFormat event_format_;
  AnswerCache answers_;
  TaskThreads gate_;     // looks up tokens that are not in memory
  TaskThreads readers_;  // apart, so that those who read a lot keep nobody from writing
  TaskThreads writers_;
  TaskThreads questions_;         // apart, so that nobody waits for those who ask what takes long to work out
  NotifierSubscription changes_;  // last: it calls what stands above
};

}  // namespace carillon::rest
