#include "api/rest/request_id.hpp"

#include "base/crypto.hpp"
#include "document/document.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace carillon::rest {
namespace {

constexpr std::size_t id_length_max = 128;

bool is_id_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

bool is_problem(const http::Response& response) {
  return std::ranges::any_of(response.headers, [](const auto& header) {
    return header.first == "Content-Type" && header.second == "application/problem+json";
  });
}

}  // namespace

std::string request_id_of(const http::Request& request) {
  const auto given = request.headers.find("X-Request-Id");
  if (given && !given->empty() && given->size() <= id_length_max && std::ranges::all_of(*given, is_id_character))
    return std::string{*given};
  // Differs from those of other servers and of earlier lives of this one.
  static std::atomic<std::uint64_t> next{random_number()};
  return fmt::format(FMT_COMPILE("{:016x}"), next++);
}

void add_request_id(http::Response& response, const std::string& id) {
  response.headers.emplace_back("X-Request-Id", id);
  if (!is_problem(response)) return;
  auto problem = parse_json(response.body);
  if (!problem || !problem->is_object()) return;
  problem->get_object()["instance"] = "urn:carillon:request:" + id;
  response.body = boost::json::serialize(*problem);
}

}  // namespace carillon::rest
