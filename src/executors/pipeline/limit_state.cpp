#include "executors/pipeline/limit_state.hpp"

#include <algorithm>

namespace carillon::pipeline {
namespace {

constexpr Duration window = std::chrono::minutes{1};
constexpr Duration pause_min = std::chrono::seconds{1};
constexpr Duration pause_max = std::chrono::minutes{1};
constexpr int doubling_count_max = 6;

}  // namespace

LimitState::LimitState(const ProviderLimits& limits) : limits_{limits}, concurrency_{limits.concurrency} {}

void LimitState::forget_before(Duration time) {
  while (!sent_.empty() && sent_.front().at <= time) {
    sent_tokens_ -= sent_.front().tokens;
    sent_.pop_front();
  }
}

/// When there is room for it in a minute; none: now.
std::optional<Duration> LimitState::room_at(Duration now, std::int64_t tokens) const {
  if (sent_.empty()) return std::nullopt;
  std::optional<Duration> at;
  const auto count = static_cast<std::int64_t>(sent_.size());
  if (limits_.requests_per_minute && count >= *limits_.requests_per_minute)
    at = sent_[static_cast<std::size_t>(count - *limits_.requests_per_minute)].at + window;
  if (limits_.tokens_per_minute) {
    std::int64_t excess = sent_tokens_ + tokens - *limits_.tokens_per_minute;
    for (auto sent = sent_.begin(); excess > 0 && sent != sent_.end(); ++sent) {
      excess -= sent->tokens;
      at = std::max(at.value_or(now), sent->at + window);
    }
  }
  return at;
}

LimitState::Decision LimitState::take(Duration now, std::int64_t tokens) {
  if (paused_until_ && now < *paused_until_) return {.wait = {.until = paused_until_}};
  paused_until_.reset();
  if (active_ >= concurrency_) return {};
  forget_before(now - window);
  if (const auto at = room_at(now, tokens)) return {.wait = {.until = at}};
  ++active_;
  ++last_number_;
  if (limits_.requests_per_minute || limits_.tokens_per_minute) {
    sent_.push_back({.number = last_number_, .at = now, .tokens = tokens});
    sent_tokens_ += tokens;
  }
  return {.slot = QuestionSlot{last_number_}};
}

void LimitState::give_back_success(const QuestionSlot& slot, std::optional<std::int64_t> tokens) {
  --active_;
  refusals_ = 0;
  if (tokens) {
    const auto sent = std::ranges::lower_bound(sent_, slot.number, {}, &Sent::number);
    if (sent != sent_.end() && sent->number == slot.number) {
      sent_tokens_ += *tokens - sent->tokens;
      sent->tokens = *tokens;
    }
  }
  if (++successes_ < concurrency_ || concurrency_ >= limits_.concurrency) return;
  ++concurrency_;
  successes_ = 0;
}

void LimitState::give_back_failure(const QuestionSlot&) { --active_; }

void LimitState::give_back_refused(const QuestionSlot& slot, Duration now, std::optional<Duration> wait) {
  --active_;
  const Duration length =
      wait.value_or(std::min(pause_max, pause_min * (1 << std::min(refusals_, doubling_count_max))));
  paused_until_ = std::max(paused_until_.value_or(now), now + length);
  if (slot.number <= halved_at_) return;
  ++refusals_;
  halved_at_ = last_number_;
  concurrency_ = std::max<std::int64_t>(1, concurrency_ / 2);
  successes_ = 0;
}

}  // namespace carillon::pipeline
