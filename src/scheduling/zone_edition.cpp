#include "scheduling/zone_edition.hpp"

#include <charconv>

namespace carillon {
namespace {

constexpr ZoneEdition before_all{1};
constexpr int letters_per_year = 32;

}  // namespace

ZoneEdition zone_edition(std::string_view version) {
  std::int32_t year = 0;
  const auto [end, error] = std::from_chars(version.data(), version.data() + version.size(), year);
  const auto rest = version.substr(static_cast<std::size_t>(end - version.data()));
  const bool is_release = error == std::errc{} && year >= 1990 && year <= 9999 && rest.size() == 1 &&
                          rest.front() >= 'a' && rest.front() <= 'z';
  return is_release ? ZoneEdition{year * letters_per_year + (rest.front() - 'a' + 1)} : before_all;
}

}  // namespace carillon
