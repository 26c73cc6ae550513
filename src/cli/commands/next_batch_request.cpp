#include "cli/commands/next_batch_request.hpp"

#include "base/quoted.hpp"
#include "cli/commands/next_batch.hpp"
#include "document/reader.hpp"

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include <array>

namespace carillon::cli {

namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, 6> question_members{"spec", "after", "before", "count", "until", "createdAt"};

std::unexpected<Error> refuse(std::string_view rule, std::string message) {
  return std::unexpected(Error{.code = ErrorCode::invalid_argument,
                               .message = std::move(message),
                               .hint = {},
                               .rule = rule,
                               .position = {},
                               .context = {}});
}

std::unexpected<Error> unknown_member(std::string_view key) {
  const std::string_view nearest = nearest_word(key, question_members);
  const std::string advice = nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest);
  return refuse("unknown-key", fmt::format("unknown key {}{}", carillon::quoted(key), advice));
}

Result<Instant> instant_of(std::string_view key, const json::value& value) {
  if (!value.is_string()) return refuse("wrong-type", fmt::format("{} is not a string", key));
  auto instant = parse_instant(value.get_string());
  if (instant) return instant;
  Error error = std::move(instant).error();
  error.message = fmt::format("{}: {}", key, error.message);
  return std::unexpected(std::move(error));
}

Result<std::size_t> count_of(const json::value& value) {
  boost::system::error_code error;
  const auto count = value.to_number<std::int64_t>(error);
  if (error) return refuse("wrong-type", "count is not a whole number");
  if (count >= 0 && count <= static_cast<std::int64_t>(batch_count_max)) return static_cast<std::size_t>(count);
  return refuse("out-of-range", fmt::format("count {} is not between 0 and {}", count, batch_count_max));
}

/// Reads one member into the request; `has_after` and `has_before` come to light here.
struct Reader {
  BatchRequest request;
  bool has_after = false;
  bool has_before = false;

  Result<void> read(std::string_view key, const json::value& value) {
    if (key == "spec") {
      request.spec = &value;
    } else if (value.is_null()) {
      // Null is the same as left out.
    } else if (key == "after" || key == "before") {
      (key == "after" ? has_after : has_before) = true;
      request.from = TRY(instant_of(key, value));
    } else if (key == "until") {
      request.until = TRY(instant_of(key, value));
    } else if (key == "count") {
      request.count = TRY(count_of(value));
      request.has_count = true;
    } else if (key == "createdAt") {
      request.created_at = TRY(instant_of(key, value));
    } else {
      return unknown_member(key);
    }
    return {};
  }
};

}  // namespace

Result<BatchRequest> read_batch_request(const json::value& tree, Instant now) {
  if (!tree.is_object()) return refuse("not-an-object", "a question must be a JSON object");
  Reader reader;
  reader.request.from = reader.request.created_at = now;
  for (const auto& member : tree.get_object()) TRY(reader.read(member.key(), member.value()));
  BatchRequest& request = reader.request;
  if (request.spec == nullptr) return refuse("missing", "spec is missing");
  if (reader.has_after && reader.has_before) return refuse("invalid-request", "give after or before, not both");
  request.is_backward = reader.has_before;
  if (!request.has_count && request.until) request.count = batch_count_max;
  return request;
}

}  // namespace carillon::cli
