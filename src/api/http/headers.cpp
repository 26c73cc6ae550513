#include "api/http/headers.hpp"

#include <algorithm>
#include <ranges>

namespace carillon::http {
namespace {

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::ranges::equal(a, b, {}, lower, lower);
}

void Headers::add(std::string_view name, std::string_view value) {
  places_.push_back({.begin = static_cast<std::uint32_t>(text_.size()),
                     .name_length = static_cast<std::uint32_t>(name.size()),
                     .value_length = static_cast<std::uint32_t>(value.size())});
  text_.append(name).append(value);
}

void Headers::reserve(std::size_t header_count, std::size_t byte_count) {
  places_.reserve(header_count);
  text_.reserve(byte_count);
}

Headers::Header Headers::operator[](std::size_t index) const {
  const Place& place = places_[index];
  const std::string_view both = std::string_view{text_}.substr(place.begin, place.name_length + place.value_length);
  return {.name = both.substr(0, place.name_length), .value = both.substr(place.name_length)};
}

std::optional<std::string_view> Headers::find(std::string_view name) const {
  for (const std::size_t i : std::views::iota(std::size_t{0}, size())) {
    if (equal_ignoring_case((*this)[i].name, name)) return (*this)[i].value;
  }
  return std::nullopt;
}

std::size_t Headers::count(std::string_view name) const {
  std::size_t count = 0;
  for (const std::size_t i : std::views::iota(std::size_t{0}, size())) {
    if (equal_ignoring_case((*this)[i].name, name)) ++count;
  }
  return count;
}

}  // namespace carillon::http
