#pragma once

#include "cli/terminal/console.hpp"
#include "client/transport.hpp"

#include <span>
#include <string>
#include <vector>

namespace carillon::cli {

/// Who may write to a server whose context says `confirm: true`.
struct Consent {
  bool is_given = false;
};

/// Asks on the terminal before the first request that changes something. Reading, previews and dry runs pass.
class ConfirmingTransport final : public Transport {
 public:
  ConfirmingTransport(Transport& transport, Console& console, Consent& consent, std::string context, bool may_ask)
      : transport_{transport}, console_{console}, consent_{consent}, context_{std::move(context)}, may_ask_{may_ask} {}

  /// A refusal (rule "declined") if the answer is no; without anybody to ask, an error that names what helps.
  Result<ServerAnswer> perform(const ServerRequest& request) override;
  /// Asks once for all of them.
  std::vector<Result<ServerAnswer>> perform_all(std::span<const ServerRequest> requests) override;
  Result<ServerAnswer> stream(const ServerRequest& request, const Sink& sink) override;

 private:
  [[nodiscard]] Result<> ask(const ServerRequest& request);

  Transport& transport_;
  Console& console_;
  Consent& consent_;
  std::string context_;
  bool may_ask_;
};

}  // namespace carillon::cli
