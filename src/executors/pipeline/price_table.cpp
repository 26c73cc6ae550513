#include "executors/pipeline/price_table.hpp"

namespace carillon::pipeline {

std::optional<double> cost_of(const PriceTable& prices, std::string_view model, const Usage& usage) {
  constexpr double million = 1e6;
  const auto price = prices.find(model);
  if (price == prices.end() || (!usage.input_tokens && !usage.output_tokens)) return std::nullopt;
  return (static_cast<double>(usage.input_tokens.value_or(0)) * price->second.input +
          static_cast<double>(usage.output_tokens.value_or(0)) * price->second.output) /
         million;
}

}  // namespace carillon::pipeline
