#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace carillon {

using HeaderFields = std::vector<std::pair<std::string, std::string>>;

struct ServerRequest {
  std::string method{"GET"};
  std::string url;
  HeaderFields headers{};
  std::string body{};
  std::string authority_file{};                 // PEM; empty: what the machine trusts
  Duration timeout = std::chrono::seconds{30};  // of the whole, unless it is a stream
  Duration stream_timeout{};                    // of a stream, which then ends with "unreachable"; zero: none
};

struct ServerAnswer {
  int status = 0;
  HeaderFields headers{};  // names in lower case
  std::string body{};

  [[nodiscard]] std::string_view header(std::string_view name) const;
  [[nodiscard]] bool is_success() const { return status >= 200 && status < 300; }
};

/// The way to a server. A port: programs have CurlTransport, tests have answers of their own.
class Transport {
 public:
  /// Takes a piece of an answer; false ends the stream.
  using Sink = std::function<bool(std::string_view piece)>;

  virtual ~Transport() = default;

  /// An answer, whatever its status. An error (rule "unreachable") if there is none.
  [[nodiscard]] virtual Result<ServerAnswer> perform(const ServerRequest& request) = 0;

  /// As `perform` for each, with answers in the order of the requests. One that fails does not keep the others back.
  /// They may be on their way at the same time, so that none may depend on another. Here: one after the other.
  [[nodiscard]] virtual std::vector<Result<ServerAnswer>> perform_all(std::span<const ServerRequest> requests);

  /// The same, but the body of a success goes to the sink as it comes. Returns when the server or the sink ends it.
  [[nodiscard]] virtual Result<ServerAnswer> stream(const ServerRequest& request, const Sink& sink) = 0;
};

}  // namespace carillon
