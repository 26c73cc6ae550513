#include "api/http/request_form.hpp"

#include "api/http/headers.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace carillon::http {
namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool is_token_char(char c) {
  return is_digit(c) || is_letter(c) || std::string_view{"!#$%&'*+-.^_`|~"}.contains(c);
}

constexpr bool is_value_char(char c) {
  const auto value = static_cast<unsigned char>(c);
  return (value >= 0x20 && value != 0x7f) || value == '\t';
}

/// Answers by byte: asked for every letter of every header, in requests and in answers.
template <typename Rule>
constexpr std::array<bool, 256> byte_table(Rule rule) {
  std::array<bool, 256> table{};
  for (std::size_t byte = 0; byte < table.size(); ++byte) table[byte] = rule(static_cast<char>(byte));
  return table;
}

constexpr auto token_bytes = byte_table(is_token_char);
constexpr auto value_bytes = byte_table(is_value_char);

bool are_all_in(const std::array<bool, 256>& table, std::string_view text) {
  return std::ranges::all_of(text, [&](char c) { return table[static_cast<unsigned char>(c)]; });
}

/// RFC 9110 defines these as single, or two of them could be understood in two ways.
constexpr std::array<std::string_view, 16> single_headers{
    "Authorization", "Content-Encoding",    "Content-Length", "Content-Type",     "Expect",        "Host",
    "If-Match",      "If-Modified-Since",   "If-None-Match",  "Idempotency-Key",  "Last-Event-ID", "Origin",
    "Range",         "If-Unmodified-Since", "Referer",        "Transfer-Encoding"};
static_assert(single_headers.size() <= 32);

/// Of a host without port: a name, an IPv4 address, or an IPv6 address in brackets.
bool is_host_name(std::string_view name) {
  if (name.starts_with('[')) {
    if (!name.ends_with(']') || name.size() < 4) return false;
    name = name.substr(1, name.size() - 2);
    return std::ranges::all_of(name, [](char c) { return is_digit(c) || is_letter(c) || c == ':' || c == '.'; });
  }
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return is_digit(c) || is_letter(c) || c == '-' || c == '.' || c == '_';
  });
}

}  // namespace

bool is_token(std::string_view text) { return !text.empty() && are_all_in(token_bytes, text); }

bool is_field_value(std::string_view text) { return are_all_in(value_bytes, text); }

std::string_view fault_of_target(std::string_view target, bool is_options) {
  if (target == "*" && is_options) return {};
  if (!target.starts_with('/')) return "the target of the request is not a path";
  const bool is_visible = std::ranges::all_of(target, [](char c) { return c > 0x20 && c < 0x7f && c != '#'; });
  return is_visible ? std::string_view{} : "the target of the request holds a character that must be percent-encoded";
}

std::string_view fault_of_host(std::string_view host) {
  constexpr std::string_view fault = "the Host header is not a host name with an optional port";
  const auto name_length = host.starts_with('[') ? host.find(']') + 1 : std::min(host.find(':'), host.size());
  if (!is_host_name(host.substr(0, name_length))) return fault;
  const std::string_view port = host.substr(name_length);
  const bool is_port =
      port.empty() || (port.starts_with(':') && port.size() <= 6 && std::ranges::all_of(port.substr(1), is_digit));
  return is_port ? std::string_view{} : fault;
}

std::string_view fault_of_length(std::string_view length) {
  constexpr std::size_t digit_count_max = 18;  // what fits into 64 bits for certain
  const bool is_number = !length.empty() && length.size() <= digit_count_max && std::ranges::all_of(length, is_digit);
  return is_number ? std::string_view{} : "the Content-Length header is not one number";
}

bool names_other_version(std::string_view head) {
  const std::string_view line = head.substr(0, head.find('\r'));
  const auto word = line.substr(line.rfind(' ') + 1);
  return word.size() == 8 && word.starts_with("HTTP/") && is_digit(word[5]) && word[6] == '.' && is_digit(word[7]) &&
         word != "HTTP/1.1" && word != "HTTP/1.0";
}

std::optional<unsigned> single_header(std::string_view name) {
  const auto* const found =
      std::ranges::find_if(single_headers, [&](std::string_view single) { return equal_ignoring_case(single, name); });
  if (found == single_headers.end()) return std::nullopt;
  return static_cast<unsigned>(found - single_headers.begin());
}

}  // namespace carillon::http
