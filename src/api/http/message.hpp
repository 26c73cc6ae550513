#pragma once

#include "api/http/headers.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace carillon::http {

enum class Method { get, head, post, put, patch, del, options, other };

/// A request whose form has been checked and whose body is complete.
struct Request {
  Method method = Method::get;
  std::string target{};  // as sent, in visible ASCII: begins with `/`, or is `*`
  Headers headers{};
  std::string body{};
  std::string peer_address{};  // "192.0.2.1", "2001:db8::1"; an IPv4 address in IPv6 dress is shown as IPv4
  bool is_tls = false;

  /// What stands before and behind the first `?` of the target, still percent-encoded; parse_target() decodes it.
  [[nodiscard]] std::string_view path() const;
  [[nodiscard]] std::string_view query() const;
};

/// Headers to be sent: names are tokens, values hold no control characters. An answer that breaks this is not sent; the
/// client gets a 500 and the log says why. Date, Server, Connection, Content-Length and Transfer-Encoding are added by
/// the server, and left out if given.
using HeaderList = std::vector<std::pair<std::string, std::string>>;

struct Response {
  int status = 200;
  HeaderList headers{};
  std::string body{};  // not sent in answer to HEAD, nor with 204 and 304; its length is
  bool close = false;  // end the connection behind this answer
  /// Called once, on a thread of the server: true when the last byte has been given to the system to be sent, false
  /// when the connection ends before that. It must neither wait nor throw.
  std::function<void(bool is_sent)> on_sent{};
};

/// The words for a status code, "Not Found"; "Unknown" for what is not in the registry.
[[nodiscard]] std::string_view reason_of(int status);

}  // namespace carillon::http
