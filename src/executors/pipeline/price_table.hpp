#pragma once

#include "executors/pipeline/provider.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace carillon::pipeline {

/// What a million tokens cost, in whatever currency the operator counts in.
struct Price {
  double input = 0;
  double output = 0;
  friend bool operator==(const Price&, const Price&) = default;
};

/// Prices by model.
using PriceTable = std::map<std::string, Price, std::less<>>;

/// What a question has cost; none if the model has no price or the provider did not count.
[[nodiscard]] std::optional<double> cost_of(const PriceTable& prices, std::string_view model, const Usage& usage);

}  // namespace carillon::pipeline
