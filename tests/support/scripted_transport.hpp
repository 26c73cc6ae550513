#pragma once

#include "client/transport.hpp"

#include <map>
#include <string>
#include <vector>

namespace carillon {

/// Answers requests as a test says, and keeps them. What it was not told of does not exist.
class ScriptedTransport final : public Transport {
 public:
  std::vector<ServerRequest> requests;
  bool is_reachable = true;

  /// `request` is method and address without host: `GET /api/v1/system`. Later answers to the same request come after
  /// earlier ones; the last one stays.
  void answer(const std::string& request, std::string body, HeaderFields headers = {}, int status = 200) {
    answers_[request].push_back({.status = status, .headers = std::move(headers), .body = std::move(body)});
  }
  void refuse(const std::string& request, int status, std::string problem) {
    answer(request, std::move(problem), {{"content-type", "application/problem+json"}}, status);
  }

  /// A header of the newest request.
  [[nodiscard]] std::string header(std::string_view name) const {
    for (const auto& [key, value] : requests.back().headers) {
      if (key == name) return value;
    }
    return {};
  }

  [[nodiscard]] Result<ServerAnswer> perform(const ServerRequest& request) override {
    requests.push_back(request);
    if (!is_reachable)
      return std::unexpected(Error{.code = ErrorCode::unavailable,
                                   .message = "cannot reach carillon at 127.0.0.1:7070 (connection refused)",
                                   .hint = {},
                                   .rule = "unreachable",
                                   .position = {},
                                   .context = {}});
    const std::size_t path = request.url.find('/', request.url.find("://") + 3);
    const auto found = answers_.find(request.method + ' ' + request.url.substr(path));
    if (found == answers_.end())
      return ServerAnswer{.status = 404,
                          .body = R"({"title": "Not found", "code": "not_found", "detail": "there is no )" +
                                  request.method + ' ' + request.url.substr(path) + "\"}"};
    const ServerAnswer answer = found->second.front();
    if (found->second.size() > 1) found->second.erase(found->second.begin());
    return answer;
  }

  [[nodiscard]] Result<ServerAnswer> stream(const ServerRequest& request, const Sink& sink) override {
    auto answer = perform(request);
    if (!answer || !answer->is_success()) return answer;
    static_cast<void>(sink(answer->body));
    answer->body.clear();
    return answer;
  }

 private:
  std::map<std::string, std::vector<ServerAnswer>> answers_;
};

}  // namespace carillon
