#include "calendar/zone_abbreviations.hpp"

#include "calendar/zone_similarity.hpp"

#include <algorithm>
#include <array>

namespace carillon {
namespace {

using enum ZoneAbbreviation::Kind;

constexpr std::string_view central_europe = "Europe/Berlin, Europe/Paris or another city there";
constexpr std::string_view eastern_europe = "Europe/Athens, Europe/Helsinki or another city there";
constexpr std::string_view western_europe = "Europe/Lisbon or Atlantic/Canary";
constexpr std::string_view eastern_australia =
    "Australia/Sydney (with daylight saving) or Australia/Brisbane (without)";
constexpr std::string_view central_australia =
    "Australia/Adelaide (with daylight saving) or Australia/Darwin (without)";

constexpr auto abbreviations = std::to_array<ZoneAbbreviation>({
    {"EST", abbreviation, "America/New_York (with daylight saving) or America/Panama (without)"},
    {"EDT", abbreviation, "America/New_York"},
    {"EST5EDT", posix_rule, "America/New_York"},
    {"CST", abbreviation,
     "America/Chicago (with daylight saving), America/Costa_Rica (without) or Asia/Shanghai (China)"},
    {"CDT", abbreviation, "America/Chicago"},
    {"CST6CDT", posix_rule, "America/Chicago"},
    {"MST", abbreviation, "America/Denver (with daylight saving) or America/Phoenix (without)"},
    {"MDT", abbreviation, "America/Denver"},
    {"MST7MDT", posix_rule, "America/Denver"},
    {"PST", abbreviation, "America/Los_Angeles"},
    {"PDT", abbreviation, "America/Los_Angeles"},
    {"PST8PDT", posix_rule, "America/Los_Angeles"},
    {"AKST", abbreviation, "America/Anchorage"},
    {"AKDT", abbreviation, "America/Anchorage"},
    {"HST", abbreviation, "Pacific/Honolulu"},
    {"AST", abbreviation,
     "America/Halifax (with daylight saving), America/Puerto_Rico (without) or Asia/Riyadh (Arabia)"},
    {"ADT", abbreviation, "America/Halifax"},
    {"NST", abbreviation, "America/St_Johns"},
    {"NDT", abbreviation, "America/St_Johns"},
    {"BRT", abbreviation, "America/Sao_Paulo"},
    {"CET", abbreviation, central_europe},
    {"CEST", abbreviation, central_europe},
    {"MET", abbreviation, central_europe},
    {"MEST", abbreviation, central_europe},
    {"EET", abbreviation, eastern_europe},
    {"EEST", abbreviation, eastern_europe},
    {"WET", abbreviation, western_europe},
    {"WEST", abbreviation, western_europe},
    {"BST", abbreviation, "Europe/London"},
    {"MSK", abbreviation, "Europe/Moscow"},
    {"IST", abbreviation, "Asia/Kolkata (India), Europe/Dublin (Ireland) or Asia/Jerusalem (Israel)"},
    {"IDT", abbreviation, "Asia/Jerusalem"},
    {"PKT", abbreviation, "Asia/Karachi"},
    {"SGT", abbreviation, "Asia/Singapore"},
    {"HKT", abbreviation, "Asia/Hong_Kong"},
    {"JST", abbreviation, "Asia/Tokyo"},
    {"KST", abbreviation, "Asia/Seoul"},
    {"AWST", abbreviation, "Australia/Perth"},
    {"ACST", abbreviation, central_australia},
    {"ACDT", abbreviation, "Australia/Adelaide"},
    {"AEST", abbreviation, eastern_australia},
    {"AEDT", abbreviation, "Australia/Sydney"},
    {"NZST", abbreviation, "Pacific/Auckland"},
    {"NZDT", abbreviation, "Pacific/Auckland"},
    {"WAT", abbreviation, "Africa/Lagos"},
    {"CAT", abbreviation, "Africa/Maputo"},
    {"SAST", abbreviation, "Africa/Johannesburg"},
    {"EAT", abbreviation, "Africa/Nairobi"},
    {"Z", alias, "UTC"},
    {"Zulu", alias, "UTC"},
    {"UCT", alias, "UTC"},
    {"Universal", alias, "UTC"},
    {"UTC0", posix_rule, "UTC"},
    {"GMT0", posix_rule, "GMT or UTC"},
    {"Greenwich", alias, "GMT or UTC"},
});

}  // namespace

const ZoneAbbreviation* find_zone_abbreviation(std::string_view text) {
  const auto row =
      std::ranges::find_if(abbreviations, [&](const auto& each) { return equals_loosely(each.text, text); });
  return row == abbreviations.end() ? nullptr : &*row;
}

const ZoneAbbreviation* find_zone_abbreviation_before(std::string_view text) {
  const ZoneAbbreviation* longest = nullptr;
  for (const ZoneAbbreviation& row : abbreviations) {
    const bool begins = equals_loosely(row.text, text.substr(0, row.text.size()));
    if (begins && (longest == nullptr || row.text.size() > longest->text.size())) longest = &row;
  }
  return longest;
}

}  // namespace carillon
