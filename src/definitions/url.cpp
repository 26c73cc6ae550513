#include "definitions/url.hpp"

#include "base/quoted.hpp"
#include "definitions/members.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace carillon {
namespace {

constexpr std::string_view url_example = "write it like https://example.com/hook";

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool begins_with(std::string_view text, std::string_view lower_case) {
  return text.size() >= lower_case.size() &&
         std::ranges::equal(text.substr(0, lower_case.size()), lower_case, {}, lower);
}

Error bad_url(std::string_view url, std::string_view why, std::string_view hint = url_example) {
  return fault("invalid-url", fmt::format("invalid URL {}: {}", quoted(url), why), std::string{hint});
}

bool is_host_character(char c) {
  const bool is_alphanumeric = (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9');
  return is_alphanumeric || c == '.' || c == '-' || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

bool is_address_character(char c) {
  return c == ':' || c == '.' || (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'f');
}

bool is_port(std::string_view text) {
  unsigned port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc{} && end == text.data() + text.size() && port >= 1 && port <= 65535;
}

bool is_host(std::string_view host) {
  if (host.starts_with('[')) {
    return host.size() > 2 && host.ends_with(']') &&
           std::ranges::all_of(host.substr(1, host.size() - 2), is_address_character);
  }
  return !host.empty() && std::ranges::all_of(host, is_host_character);
}

std::optional<Error> check_authority(std::string_view url, std::string_view authority) {
  if (authority.contains('@'))
    return bad_url(url, "it has user information",
                   "put it into the header Authorization, by reference: ${secret:NAME}");
  const std::size_t bracket = authority.starts_with('[') ? authority.find(']') : 0;
  const std::size_t colon = bracket == authority.npos ? authority.npos : authority.find(':', bracket);
  if (!is_host(authority.substr(0, colon))) return bad_url(url, "its host is missing or malformed");
  if (colon != authority.npos && !is_port(authority.substr(colon + 1)))
    return bad_url(url, "its port is not a number from 1 to 65535");
  return std::nullopt;
}

}  // namespace

std::optional<Error> check_url(std::string_view url) {
  if (std::ranges::any_of(url, [](char c) { return c == ' ' || is_control_character(c); }))
    return bad_url(url, "it has a space or a control character", "write %20 for a space");
  const std::string_view scheme = begins_with(url, "https://") ? "https://" : "http://";
  if (!begins_with(url, scheme)) return bad_url(url, "it is neither http nor https");
  const std::string_view rest = url.substr(scheme.size());
  return check_authority(url, rest.substr(0, rest.find_first_of("/?#")));
}

}  // namespace carillon
