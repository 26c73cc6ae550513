#pragma once

#include "base/instant.hpp"
#include "definitions/secret_references.hpp"
#include "executors/pipeline/http_question.hpp"
#include "executors/pipeline/provider.hpp"
#include "ports/clock.hpp"

#include <sys/socket.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace carillon::pipeline {

/// Why an address may not be called; none if it may. Asked for every connection, from any thread.
using AddressRule = std::function<std::optional<std::string>(const sockaddr& address)>;

struct HttpProviderOptions {
  std::string url;    // the whole of it
  std::string key{};  // a reference, `${secret:name}`; empty: none is sent
  HttpQuestionTerms terms{};
  SecretResolver secrets{};               // for the key; from any thread
  AddressRule address_refusal{};          // none: any address may be called
  std::string certificate_authorities{};  // a file; empty: those the system trusts
  Duration connect_timeout = std::chrono::seconds{10};
  std::size_t reply_size_max = 4 * 1024 * 1024;
};

/// Asks a service over HTTP: one request for each question, on a connection of its own, so that none is sent twice. No
/// redirects, proxies, cookies or netrc; TLS 1.2 or later, verified. The key is read for each question and shown
/// nowhere, not even if the service sends it back.
class HttpProvider final : public Provider {
 public:
  HttpProvider(Clock& clock, HttpProviderOptions options);

  [[nodiscard]] ProviderResult ask(const Question& question, Duration timeout, const std::stop_token& stop) override;

 private:
  Clock& clock_;
  const HttpProviderOptions options_;
};

}  // namespace carillon::pipeline
