#pragma once

#include "calendar/zone_names.hpp"

#include <string>
#include <string_view>

namespace carillon {

/// Whether a name has the form of an accepted zone: with a region, or `UTC` or `GMT`. Says nothing about its existence.
[[nodiscard]] bool has_zone_form(std::string_view name);

/// What is wrong with a refused zone name, and what to write instead.
struct ZoneAdvice {
  std::string fault;  // the rest of a sentence that begins with the name: `is an abbreviation, …`
  std::string hint;   // never empty
};

/// For any text that is not an accepted name; the work is bounded whatever its length.
[[nodiscard]] ZoneAdvice advise_on_zone(std::string_view name, const ZoneNames& known);

}  // namespace carillon
