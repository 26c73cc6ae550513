#include "zones/tzif.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace carillon {
namespace {

constexpr std::size_t header_length = 44;

std::uint64_t count_at(std::string_view bytes, std::size_t position) {
  std::uint64_t count = 0;
  for (const char c : bytes.substr(position, 4)) count = count << 8 | static_cast<unsigned char>(c);
  return count;
}

/// The length of the header and its body, if there is a header; `time_length` is that of one transition time.
std::optional<std::uint64_t> block_length(std::string_view bytes, std::uint64_t time_length) {
  if (bytes.size() < header_length || !bytes.starts_with("TZif")) return std::nullopt;
  const std::uint64_t ut_flags = count_at(bytes, 20);
  const std::uint64_t standard_flags = count_at(bytes, 24);
  const std::uint64_t leap_seconds = count_at(bytes, 28);
  const std::uint64_t times = count_at(bytes, 32);
  const std::uint64_t types = count_at(bytes, 36);
  const std::uint64_t characters = count_at(bytes, 40);
  return header_length + times * (time_length + 1) + types * 6 + characters + leap_seconds * (time_length + 4) +
         standard_flags + ut_flags;
}

}  // namespace

bool is_whole_tzif(std::string_view bytes) {
  const auto first = block_length(bytes, 4);
  if (!first || *first > bytes.size()) return false;
  const bool has_second_block = bytes[4] != '\0';
  if (!has_second_block) return true;
  const auto second = block_length(bytes.substr(*first), 8);
  return second && *second <= bytes.size() - *first;
}

}  // namespace carillon
