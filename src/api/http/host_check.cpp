#include "api/http/host_check.hpp"

#include "api/http/headers.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>

namespace carillon::http {
namespace {

std::string_view without_port(std::string_view host) {
  const auto bracket = host.find(']');
  if (host.starts_with('[') && host.substr(bracket + 1).starts_with(':')) return host.substr(0, bracket + 1);
  if (host.starts_with('[')) return host;
  return host.substr(0, host.find(':'));
}

bool is_ip_address(std::string_view name) {
  in6_addr address{};
  if (name.starts_with('[') && !name.ends_with(']')) return false;
  if (name.starts_with('['))
    return inet_pton(AF_INET6, std::string{name.substr(1, name.size() - 2)}.c_str(), &address) == 1;
  return inet_pton(AF_INET, std::string{name}.c_str(), &address) == 1;
}

}  // namespace

bool is_own_host(std::string_view host, std::span<const std::string> allowed) {
  std::string_view name = without_port(host);
  if (is_ip_address(name)) return true;
  // A final dot makes a name absolute, and no other name.
  if (name.ends_with('.')) name.remove_suffix(1);
  return equal_ignoring_case(name, "localhost") || std::ranges::any_of(allowed, [&](const std::string& own) {
           return own == "*" || equal_ignoring_case(name, own);
         });
}

}  // namespace carillon::http
