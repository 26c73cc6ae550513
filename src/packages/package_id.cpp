#include "packages/package_id.hpp"

#include "base/assertion.hpp"
#include "base/crypto.hpp"
#include "definitions/slug.hpp"

namespace carillon::packages {
namespace {

constexpr std::size_t digit_count = 6;
constexpr std::size_t id_length_max = 128;

}  // namespace

ScheduleId schedule_id_of(std::string_view path) {
  const std::string words = slug(path).text().substr(0, id_length_max - digit_count - 1);
  auto id = ScheduleId::parse(words + '-' + sha256_hex(path).substr(0, digit_count));
  CARILLON_ASSERT(id);
  return *std::move(id);
}

}  // namespace carillon::packages
