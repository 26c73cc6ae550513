#pragma once

#include <cstdint>
#include <string_view>

namespace carillon {

/// A text that people write for a time zone and that names none: `EST`, `PST8PDT`, `Zulu`.
struct ZoneAbbreviation {
  enum class Kind : std::uint8_t { abbreviation, posix_rule, alias };

  std::string_view text;
  Kind kind;
  std::string_view meaning;  // the zones it may stand for, in words
};

/// In any case of letters; nothing if it is not known.
[[nodiscard]] const ZoneAbbreviation* find_zone_abbreviation(std::string_view text);

/// The longest one with which the text begins: EST5EDT for `EST5EDT,M3.2.0,M11.1.0`.
[[nodiscard]] const ZoneAbbreviation* find_zone_abbreviation_before(std::string_view text);

}  // namespace carillon
