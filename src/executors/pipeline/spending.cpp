#include "executors/pipeline/spending.hpp"

namespace carillon::pipeline {
namespace {

template <typename Number>
std::unexpected<Error> used_up(std::string_view name, Number bound) {
  auto error = fail(ErrorCode::unavailable, "the budget of this run is used up ({}: {})", name, bound);
  error.error().rule = "budget";
  error.error().hint = "raise it in the pipeline's budget";
  return error;
}

}  // namespace

Spending::Spending(const Budget& budget, const JournalTotals& earlier)
    : budget_{budget}, known_{earlier}, tokens_{earlier.input_tokens + earlier.output_tokens}, cost_{earlier.cost} {}

Result<> Spending::reserve(const Estimate& estimate) {
  const std::lock_guard lock{mutex_};
  if (budget_.calls && known_.calls + 1 > *budget_.calls) return used_up("maxCalls", *budget_.calls);
  if (budget_.tokens && tokens_ + estimate.tokens > *budget_.tokens) return used_up("maxTokens", *budget_.tokens);
  if (budget_.cost && !estimate.cost) {
    auto error = fail(ErrorCode::invalid_argument, "the budget has maxCost, and the model has no price");
    error.error().rule = "budget";
    error.error().hint = "give the provider prices for its models";
    return error;
  }
  if (budget_.cost && cost_ + *estimate.cost > *budget_.cost) return used_up("maxCost", *budget_.cost);
  ++known_.calls;
  tokens_ += estimate.tokens;
  cost_ += estimate.cost.value_or(0);
  return {};
}

void Spending::settle(const Estimate& estimate, const Usage& usage, std::optional<double> cost) {
  const std::lock_guard lock{mutex_};
  known_.input_tokens += usage.input_tokens.value_or(0);
  known_.output_tokens += usage.output_tokens.value_or(0);
  known_.cost += cost.value_or(0);
  if (usage.input_tokens || usage.output_tokens)
    tokens_ += usage.input_tokens.value_or(0) + usage.output_tokens.value_or(0) - estimate.tokens;
  if (cost) cost_ += *cost - estimate.cost.value_or(0);
}

void Spending::release(const Estimate& estimate) {
  const std::lock_guard lock{mutex_};
  --known_.calls;
  tokens_ -= estimate.tokens;
  cost_ -= estimate.cost.value_or(0);
}

JournalTotals Spending::totals() const {
  const std::lock_guard lock{mutex_};
  return known_;
}

}  // namespace carillon::pipeline
