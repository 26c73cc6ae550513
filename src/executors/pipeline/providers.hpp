#pragma once

#include "base/error.hpp"
#include "executors/pipeline/price_table.hpp"
#include "executors/pipeline/provider.hpp"
#include "executors/pipeline/provider_gate.hpp"
#include "ports/clock.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace carillon::pipeline {

/// What is known of a provider beside how it is asked.
struct ProviderTerms {
  std::string model{};  // for questions that name none
  ProviderLimits limits{};
  PriceTable prices{};
};

/// A provider under its name, with the gate that all its questions go through.
struct NamedProvider {
  std::string name;
  ProviderTerms terms;
  std::unique_ptr<Provider> provider;
  std::unique_ptr<ProviderGate> gate;
};

/// The providers that pipelines may name, and the one for those that name none. Filled before it is used; then it may
/// be read from several threads.
class Providers {
 public:
  explicit Providers(Clock& clock) : clock_{clock} {}

  void add(std::string name, ProviderTerms terms, std::unique_ptr<Provider> provider);
  /// Without this the only provider is the default, if there is only one.
  void set_default(std::string name) { default_ = std::move(name); }

  /// The provider of that name, or the default. An error says which there are.
  [[nodiscard]] Result<NamedProvider*> find(const std::optional<std::string>& name);

 private:
  Clock& clock_;
  std::map<std::string, NamedProvider, std::less<>> providers_;
  std::optional<std::string> default_;
};

}  // namespace carillon::pipeline
