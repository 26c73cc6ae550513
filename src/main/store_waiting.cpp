#include "main/store_waiting.hpp"

#include "api/rest/problem.hpp"
#include "ports/store_health.hpp"

#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace carillon {
namespace {

constexpr Duration close_grace = std::chrono::seconds{1};
/// A look at a database that does not answer takes its time.
constexpr std::chrono::seconds look_time_max{30};

http::Response status_response(int status, const std::string& body) {
  return {.status = status, .headers = {{"Content-Type", "application/json"}}, .body = body};
}

std::string_view sentence_about(const Error& failure) {
  const auto kind = failure_kind_of(failure.rule);
  return kind ? sentence_of(*kind) : std::string_view{"the store cannot be used"};
}

}  // namespace

StoreWaiting::StoreWaiting(const ApiOptions& options, bool has_api, std::optional<Duration> time_max,
                           std::function<bool(Duration)> rest, Clock& clock, ServiceManager& manager, Log& log)
    : options_{options},
      has_api_{has_api},
      time_max_{time_max},
      rest_{std::move(rest)},
      clock_{clock},
      manager_{manager},
      log_{log},
      began_{clock.since_boot()},
      listen_{options.listen} {}

Result<> StoreWaiting::listen() {
  if (http_ || !has_api_) return {};
  http::ServerOptions http = TRY(listen_options(options_, nullptr));
  http.listen.resize(1);
  const std::string host = http.listen.front().host;
  http_ = TRY(http::Server::open(
      std::move(http),
      [this](http::Request request, http::Responder responder) { answer(request, std::move(responder)); }, log_));
  listen_ = fmt::format("{}{}{}:{}", host.contains(':') ? "[" : "", host, host.contains(':') ? "]" : "", http_->port());
  http_->start();
  return {};
}

void StoreWaiting::answer(const http::Request& request, http::Responder responder) {
  if (request.path() == "/livez") return responder.send(status_response(200, R"({"status":"ok"})"));
  std::optional<Error> failure;
  {
    const std::scoped_lock lock{mutex_};
    failure = failure_;
  }
  // Anybody may ask: the sentence names no address and no user.
  const std::string sentence{failure ? sentence_about(*failure) : "the store cannot be used"};
  if (request.path() == "/readyz")
    return responder.send(status_response(503, fmt::format(R"({{"status":"not ready","reason":"{}"}})", sentence)));
  http::Response response = rest::problem_response(503, "the server waits for its store: " + sentence);
  response.headers.emplace_back("Retry-After", "5");
  responder.send(std::move(response));
}

void StoreWaiting::tell(const Error& failure) {
  const std::scoped_lock lock{mutex_};
  const bool is_known = failure_ && failure_->message == failure.message;
  failure_ = failure;
  if (is_known) return;
  log_.error(
      "the server waits for its store",
      {{"reason", sentence_about(failure)}, {"error", failure.message}, {"remedy", failure.hint}, {"listen", listen_}});
}

Result<> StoreWaiting::wait(const Error& failure, Duration pause) {
  if (time_max_ && clock_.since_boot() - began_ >= *time_max_) return std::unexpected(failure);
  TRY(listen());
  tell(failure);
  manager_.tell_waiting(fmt::format("Waits for its store: {}", sentence_about(failure)), look_time_max);
  if (rest_(pause)) return {};
  was_stopped_ = true;
  return std::unexpected(failure);
}

std::string StoreWaiting::end() {
  if (failure_) log_.info("the store can be used", {{"waited", clock_.since_boot() - began_}});
  if (http_) http_->stop(close_grace);
  http_.reset();
  return listen_;
}

}  // namespace carillon
