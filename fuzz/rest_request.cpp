#include "api/http/request_reader.hpp"
#include "api/http/response_text.hpp"
#include "api/rest_world.hpp"
#include "document/document.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

using namespace carillon;
using http::RequestReader;

namespace {

/// A second request may be about what the first has made; more would only be slow.
constexpr int request_count_max = 8;

std::string_view header(const http::Response& response, std::string_view name) {
  const auto found = std::ranges::find_if(response.headers,
                                          [&](const auto& one) { return http::equal_ignoring_case(one.first, name); });
  return found == response.headers.end() ? std::string_view{} : found->second;
}

bool is_problem(const http::Response& response) {
  const auto body = parse_json(response.body);
  if (header(response, "Content-Type") != "application/problem+json" || !body || !body->is_object()) return false;
  const auto* status = body->get_object().if_contains("status");
  const auto* code = body->get_object().if_contains("code");
  return status != nullptr && status->is_int64() && status->get_int64() == response.status && code != nullptr &&
         code->is_string() && body->get_object().contains("detail");
}

void check(const http::Response& response) {
  CARILLON_ASSERT(response.status < 500);
  CARILLON_ASSERT(http::is_sendable(response.status, response.headers));
  CARILLON_ASSERT(header(response, "X-Content-Type-Options") == "nosniff");
  CARILLON_ASSERT(response.body.empty() || !header(response, "Content-Type").empty());
  CARILLON_ASSERT(response.status < 400 || is_problem(response));
  if (header(response, "Content-Type") == "application/json") CARILLON_ASSERT(parse_json(response.body));
}

/// Names that were given by an answer can be used in what follows: `RUN`, `WORKER` and `BACKFILL` stand for the
/// newest.
class Names {
 public:
  void learn(std::string_view body) {
    learn(body, R"("id":"r-)", run_);
    learn(body, R"("worker":"w-)", worker_);
    learn(body, R"("id":"bf-)", backfill_);
  }
  void put_into(std::string& text) const {
    replace(text, "RUN", run_);
    replace(text, "WORKER", worker_);
    replace(text, "BACKFILL", backfill_);
  }

 private:
  static void learn(std::string_view body, std::string_view mark, std::string& name) {
    const std::size_t found = body.find(mark);
    if (found == std::string_view::npos) return;
    body.remove_prefix(found + mark.rfind('"') + 1);
    name = body.substr(0, body.find('"'));
  }
  static void replace(std::string& text, std::string_view word, const std::string& name) {
    if (const std::size_t found = text.find(word); found != std::string::npos) text.replace(found, word.size(), name);
  }

  std::string run_ = "r-0000000000000";
  std::string worker_ = "w-0";
  std::string backfill_ = "bf-0";
};

}  // namespace

/// Whatever comes in on a connection, by whomever it is sent, is answered in the form that was promised, and never as a
/// fault of the server.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  std::string_view text{reinterpret_cast<const char*>(bytes), size};
  std::optional<testing::RestWorld> world;
  Names names;
  RequestReader reader{{.head_size_max = 4096, .header_count_max = 20, .body_size_max = 4096}};
  for (int count = 0; !text.empty() && count < request_count_max;) {
    text.remove_prefix(reader.put(text));
    if (reader.state() == RequestReader::State::refused) break;
    if (reader.state() != RequestReader::State::complete) continue;
    if (!world) world.emplace();
    http::Request request = reader.take();
    names.put_into(request.target);
    names.put_into(request.body);
    const http::Response response = world->ask(std::move(request));
    check(response);
    names.learn(response.body);
    world->clock().advance(std::chrono::seconds{1});
    reader.reset();
    ++count;
  }
  return 0;
}
