#include "stores/postgres/parameters.hpp"

#include "base/utf8.hpp"

#include <algorithm>

namespace carillon::postgres {
namespace {

template <typename Number>
void append_big_endian(std::string& out, Number value) {
  for (int shift = static_cast<int>(sizeof(Number)) * 8 - 8; shift >= 0; shift -= 8)
    out.push_back(static_cast<char>(static_cast<std::make_unsigned_t<Number>>(value) >> shift));
}

/// The type of an array of a type, as PostgreSQL numbers them.
std::uint32_t array_type(std::uint32_t element_type) {
  switch (element_type) {
    case 16: return 1000;
    case 17: return 1001;
    case 20: return 1016;
    default: return 1009;
  }
}

}  // namespace

std::string acceptable_text(std::string_view text) {
  std::string mended;
  while (!text.empty()) {
    const std::size_t length = text.front() == '\0' ? 0 : utf8_length(text);
    mended += length == 0 ? std::string_view{"\uFFFD"} : text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return mended;
}

void Parameters::append_number(std::string& out, std::int64_t value) { append_big_endian(out, value); }

void Parameters::append_text(std::string& out, std::string_view text) {
  const bool is_acceptable = text.find('\0') == std::string_view::npos && !find_malformed_utf8(text);
  if (is_acceptable)
    out.append(text);
  else
    out.append(acceptable_text(text));
}

void Parameters::append_length(std::string& out, std::int32_t length) { append_big_endian(out, length); }

void Parameters::set_length(std::string& out, std::size_t place) {
  std::string length;
  append_big_endian(length, static_cast<std::int32_t>(out.size() - place - 4));
  out.replace(place, 4, length);
}

void Parameters::add_array(const Elements& elements) {
  std::string bytes;
  bytes.reserve(20 + elements.bytes.size());
  append_big_endian(bytes, std::int32_t{elements.count == 0 ? 0 : 1});
  append_big_endian(bytes, std::int32_t{elements.has_null ? 1 : 0});
  append_big_endian(bytes, static_cast<std::int32_t>(elements.type));
  if (elements.count > 0) {
    append_big_endian(bytes, static_cast<std::int32_t>(elements.count));
    append_big_endian(bytes, std::int32_t{1});
  }
  bytes += elements.bytes;
  values_.push_back({.type = array_type(elements.type), .bytes = std::move(bytes)});
}

}  // namespace carillon::postgres
