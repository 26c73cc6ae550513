#include "executors/pipeline/providers.hpp"

#include "base/quoted.hpp"

#include <fmt/format.h>

#include <utility>

namespace carillon::pipeline {

void Providers::add(std::string name, ProviderTerms terms, std::unique_ptr<Provider> provider) {
  auto gate = std::make_unique<ProviderGate>(clock_, terms.limits);
  NamedProvider named{
      .name = name, .terms = std::move(terms), .provider = std::move(provider), .gate = std::move(gate)};
  providers_.insert_or_assign(std::move(name), std::move(named));
}

Result<NamedProvider*> Providers::find(const std::optional<std::string>& name) {
  std::optional<std::string> wanted = name ? name : default_;
  if (!wanted && providers_.size() == 1) wanted = providers_.begin()->first;
  const auto found = wanted ? providers_.find(*wanted) : providers_.end();
  if (found != providers_.end()) return &found->second;
  std::string known;
  for (const auto& [one, provider] : providers_) known += (known.empty() ? "" : ", ") + one;
  auto error = wanted               ? fail(ErrorCode::not_found, "there is no provider {}", carillon::quoted(*wanted))
               : providers_.empty() ? fail(ErrorCode::not_found, "there is no provider to answer the questions")
                                    : fail(ErrorCode::not_found, "no provider is the default");
  error.error().hint =
      known.empty() ? "name a file of providers with --providers" : fmt::format("configured are: {}", known);
  return error;
}

}  // namespace carillon::pipeline
