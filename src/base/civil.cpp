#include "base/civil.hpp"

namespace carillon {

std::optional<CivilDate> checked_date(int year, int month, int day) {
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > days_in_month(year, month)) return std::nullopt;
  return CivilDate{year, month, day};
}

}  // namespace carillon
