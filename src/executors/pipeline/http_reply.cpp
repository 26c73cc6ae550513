#include "base/quoted.hpp"
#include "document/document.hpp"
#include "executors/pipeline/http_question.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

namespace carillon::pipeline {
namespace {

namespace json = boost::json;

const json::value* member_of(const json::value* value, std::string_view name) {
  const json::object* object = value == nullptr ? nullptr : value->if_object();
  return object == nullptr ? nullptr : object->if_contains(name);
}

const json::value* first_of(const json::value* value) {
  const json::array* array = value == nullptr ? nullptr : value->if_array();
  return array == nullptr || array->empty() ? nullptr : array->data();
}

std::string text_of(const json::value* value) {
  const json::string* text = value == nullptr ? nullptr : value->if_string();
  return text == nullptr ? std::string{} : std::string{*text};
}

std::optional<std::int64_t> tokens_in(const json::value* usage, std::string_view name) {
  const json::value* count = member_of(usage, name);
  boost::system::error_code error;
  const auto number = count == nullptr ? 0 : count->to_number<std::int64_t>(error);
  if (count == nullptr || error || number < 0) return std::nullopt;
  return number;
}

/// What both styles have in common once it is taken out of their documents.
struct Completion {
  std::string text;
  std::string reason;   // why it ended
  std::string refusal;  // what the model said instead
  Usage usage;
};

Completion openai_completion(const json::value& root) {
  const json::value* choice = first_of(member_of(&root, "choices"));
  const json::value* message = member_of(choice, "message");
  const json::value* usage = member_of(&root, "usage");
  return {.text = text_of(member_of(message, "content")),
          .reason = text_of(member_of(choice, "finish_reason")),
          .refusal = text_of(member_of(message, "refusal")),
          .usage = {.input_tokens = tokens_in(usage, "prompt_tokens"),
                    .output_tokens = tokens_in(usage, "completion_tokens")}};
}

/// Tokens that were read from or written to a cache are counted apart there.
std::optional<std::int64_t> anthropic_input_tokens(const json::value* usage) {
  auto tokens = tokens_in(usage, "input_tokens");
  for (const char* name : {"cache_creation_input_tokens", "cache_read_input_tokens"}) {
    if (const auto more = tokens_in(usage, name); tokens && more) *tokens += *more;
  }
  return tokens;
}

Completion anthropic_completion(const json::value& root) {
  Completion completion;
  const json::value* content = member_of(&root, "content");
  if (const json::array* blocks = content == nullptr ? nullptr : content->if_array()) {
    for (const json::value& block : *blocks) completion.text += text_of(member_of(&block, "text"));
  }
  const json::value* usage = member_of(&root, "usage");
  completion.reason = text_of(member_of(&root, "stop_reason"));
  completion.usage = {.input_tokens = anthropic_input_tokens(usage),
                      .output_tokens = tokens_in(usage, "output_tokens")};
  return completion;
}

ProviderResult result_of(Completion completion) {
  const auto useless = [&](std::string message) -> ProviderResult {
    return std::unexpected(
        ProviderFailure{.kind = FailureClass::answer, .message = std::move(message), .usage = completion.usage});
  };
  // A part of an answer may well parse, and is wrong all the same.
  if (completion.reason == "length" || completion.reason == "max_tokens")
    return useless("the answer was cut: it reached the largest number of tokens");
  if (completion.reason == "content_filter" || completion.reason == "refusal" || !completion.refusal.empty())
    return useless(completion.refusal.empty()
                       ? "the provider refused to answer"
                       : fmt::format("the provider refused to answer: {}", carillon::quoted(completion.refusal)));
  if (completion.text.empty()) return useless("the answer is empty");
  return ProviderAnswer{.text = std::move(completion.text), .usage = completion.usage};
}

struct ReplyError {
  std::string message;
  std::string code;  // or type
};

ReplyError error_in(const HttpReply& reply) {
  const auto root = parse_json(reply.body);
  const json::value* error = root ? member_of(&*root, "error") : nullptr;
  ReplyError found{.message = text_of(member_of(error, "message")), .code = text_of(member_of(error, "code"))};
  if (found.message.empty()) found.message = text_of(error);
  if (found.code.empty()) found.code = text_of(member_of(error, "type"));
  return found;
}

bool is_out_of_money(const HttpReply& reply, const ReplyError& error) {
  return error.code == "insufficient_quota" || error.code == "billing_hard_limit_reached" ||
         error.code == "billing_error" || (reply.status == 400 && error.message.contains("credit balance"));
}

FailureClass class_of(const HttpReply& reply, const ReplyError& error) {
  const std::int64_t status = reply.status;
  if (status == 401 || status == 402 || status == 403 || is_out_of_money(reply, error)) return FailureClass::hopeless;
  if (status == 408 || status == 409 || status == 425 || status == 429 || status >= 500) return FailureClass::transient;
  return FailureClass::permanent;
}

ProviderFailure failure_of(const HttpReply& reply, Instant now) {
  constexpr std::int64_t too_many_requests = 429;
  const ReplyError error = error_in(reply);
  ProviderFailure failure{.kind = class_of(reply, error),
                          .message = error.message.empty()
                                         ? fmt::format("the provider answered {}", reply.status)
                                         : fmt::format("the provider answered {}: {}", reply.status, error.message)};
  failure.is_rate_limit = reply.status == too_many_requests && failure.kind == FailureClass::transient;
  if (failure.kind == FailureClass::transient) failure.retry_after = wait_asked_for(reply, now);
  return failure;
}

}  // namespace

ProviderResult read_http_reply(const HttpReply& reply, HttpStyle style, Instant now) {
  if (reply.status < 200 || reply.status > 299) return std::unexpected(failure_of(reply, now));
  const auto root = parse_json(reply.body);
  if (!root)
    return std::unexpected(ProviderFailure{.kind = FailureClass::answer,
                                           .message = "the provider's reply is no JSON: " + root.error().message});
  return result_of(style == HttpStyle::openai ? openai_completion(*root) : anthropic_completion(*root));
}

}  // namespace carillon::pipeline
