#include "api/rest/session_cookie.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace carillon::rest {
namespace {

std::string_view value_in(std::string_view cookies, std::string_view name) {
  while (!cookies.empty()) {
    const std::size_t end = cookies.find(';');
    std::string_view pair = cookies.substr(0, end);
    pair.remove_prefix(std::min(pair.find_first_not_of(' '), pair.size()));
    if (pair.size() > name.size() && pair.starts_with(name) && pair[name.size()] == '=')
      return pair.substr(name.size() + 1);
    cookies = end == std::string_view::npos ? std::string_view{} : cookies.substr(end + 1);
  }
  return {};
}

/// A proxy that ends TLS is not seen; the page says where it came from.
bool is_encrypted(const http::Request& request) {
  return request.is_tls || request.headers.find("Origin").value_or("").starts_with("https://");
}

}  // namespace

std::string_view cookie_in(const http::Request& request, std::string_view name) {
  for (std::size_t i = 0; i < request.headers.size(); ++i) {
    const auto header = request.headers[i];
    if (!http::equal_ignoring_case(header.name, "Cookie")) continue;
    if (const auto value = value_in(header.value, name); !value.empty()) return value;
  }
  return {};
}

std::string session_cookie(const http::Request& request, std::string_view name, std::string_view text,
                           Duration time_left) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time_left).count();
  return fmt::format("{}={}; Path=/; HttpOnly; SameSite=Strict; Max-Age={}{}", name, text, std::max<long>(seconds, 0),
                     is_encrypted(request) ? "; Secure" : "");
}

}  // namespace carillon::rest
