#include "service/refusal.hpp"

#include "base/quoted.hpp"
#include "ports/command_metadata.hpp"
#include "ports/store_health.hpp"

#include <utility>

namespace carillon {
namespace {

struct Meaning {
  Refusal::Kind kind;
  std::string_view code;
};

Meaning meaning_of(const Error& error) {
  if (error.rule == "wrong-status") return {Refusal::Kind::wrong_status, "wrong_status"};
  if (error.rule == "stale-revision") return {Refusal::Kind::stale, "stale_revision"};
  if (const auto failure = failure_kind_of(error.rule))
    return {*failure == StoreFailureKind::full ? Refusal::Kind::full : Refusal::Kind::unavailable, rule_of(*failure)};
  if (error.rule == "idempotency-key") return {Refusal::Kind::in_progress, "idempotency_in_progress"};
  if (error.rule == dealt_with) return {Refusal::Kind::not_found, "no_dead_letter"};
  switch (error.code) {
    case ErrorCode::invalid_argument: return {Refusal::Kind::invalid, "invalid"};
    case ErrorCode::not_found: return {Refusal::Kind::not_found, "not_found"};
    case ErrorCode::conflict: return {Refusal::Kind::exists, "conflict"};
    case ErrorCode::unavailable: return {Refusal::Kind::unavailable, "unavailable"};
    case ErrorCode::corrupt: return {Refusal::Kind::internal, "internal"};
  }
  std::unreachable();
}

}  // namespace

// What is wrong inside is for the log, not for callers: it may name files.
Refusal::Refusal(const Error& error) {
  const Meaning meaning = meaning_of(error);
  kind = meaning.kind;
  code = meaning.code;
  message = error.message;
  hint = error.hint;
  if (const auto failure = failure_kind_of(error.rule)) {
    message = sentence_of(*failure);
    hint = remedy_of(*failure);
    cause = error.message;
  }
  if (kind == Kind::invalid) {
    errors.push_back(to_problem("", error));
    if (!error.rule.empty()) code = error.rule;
  }
}

Refusal::Refusal(Problems problems)
    : kind{Kind::invalid}, code{"invalid"}, message{to_error(problems).message}, errors{std::move(problems)} {}

std::unexpected<Refusal> too_complex(std::string_view advice) {
  return std::unexpected(Refusal{Refusal::Kind::invalid, "too-complex",
                                 "the answer needs more steps than one request may take", std::string{advice}});
}

Refusal too_complex(Problems problems) {
  Refusal refusal{std::move(problems)};
  refusal.code = "too-complex";
  return refusal;
}

std::unexpected<Refusal> no_schedule(std::string_view id) {
  return refuse(Refusal::Kind::not_found, "not_found", "schedule {} not found", quoted(id));
}

std::unexpected<Refusal> no_run(std::string_view id) {
  return refuse(Refusal::Kind::not_found, "not_found", "run {} not found", quoted(id));
}

}  // namespace carillon
