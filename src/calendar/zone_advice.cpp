#include "calendar/zone_advice.hpp"

#include "calendar/zone_abbreviations.hpp"
#include "calendar/zone_similarity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

namespace carillon {
namespace {

using Suggestions = std::vector<std::string_view>;

// No path to a zone is longer; a longer text is not worth a comparison.
constexpr std::size_t considered_length_max = 128;
constexpr std::size_t suggestion_count_max = 3;
constexpr int name_part_count_max = 3;  // America/Argentina/Ushuaia

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && (is_blank(text.back()) || text.back() == '/')) text.remove_suffix(1);
  return text;
}

std::string_view place_of(std::string_view name) { return name.substr(name.rfind('/') + 1); }

std::string unknown_fault(const ZoneNames& known) {
  const bool has_version = !known.version.empty() && known.version != "unknown";
  return has_version ? "is not a time zone of tzdata " + known.version : "is not a time zone of tzdata";
}

std::string one_of(const Suggestions& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

std::string did_you_mean(const Suggestions& names) { return fmt::format("did you mean {}?", one_of(names)); }

/// Adds the name in use today, once, while there is room.
void suggest(Suggestions& suggestions, std::string_view name, const ZoneNames& known) {
  const std::string_view replacement = known.renamed_to(name);
  const std::string_view today = replacement.empty() ? name : replacement;
  if (suggestions.size() == suggestion_count_max || std::ranges::find(suggestions, today) != suggestions.end()) return;
  suggestions.push_back(today);
}

template <typename Predicate>
Suggestions names_where(const ZoneNames& known, Predicate matches) {
  Suggestions suggestions;
  for (const std::string& name : known.names) {
    if (matches(std::string_view{name}) && has_zone_form(name)) suggest(suggestions, name, known);
  }
  return suggestions;
}

/// The zone that ends the text: behind a folder (`/usr/share/zoneinfo/`, `posix/`), a colon or `TZ=`, or the whole of
/// it.
Suggestions names_at_end_of(std::string_view text, const ZoneNames& known) {
  Suggestions longest;
  std::size_t begin = text.size() + 1;
  for (int part = 0; part < name_part_count_max && begin > 0; ++part) {
    begin = begin < 2 ? 0 : text.find_last_of("/:=", begin - 2) + 1;
    const std::string_view rest = text.substr(begin);
    Suggestions found = names_where(known, [&](std::string_view name) { return equals_loosely(name, rest); });
    if (!found.empty()) longest = std::move(found);
  }
  return longest;
}

Suggestions names_of_place(std::string_view text, const ZoneNames& known) {
  const std::string_view place = place_of(text);
  return names_where(known, [&](std::string_view name) { return equals_loosely(place_of(name), place); });
}

Suggestions names_in_region(std::string_view text, const ZoneNames& known) {
  return names_where(known, [&](std::string_view name) {
    return name.size() > text.size() && name[text.size()] == '/' && equals_loosely(name.substr(0, text.size()), text);
  });
}

std::size_t misspelling_max(std::size_t length) { return length < 4 ? 0 : length < 8 ? 1 : 2; }

/// The names fewest edits away; a text without region is compared with places.
Suggestions nearest_names(std::string_view text, const ZoneNames& known) {
  const bool has_region = text.find('/') != std::string_view::npos;
  const auto distance = [&](std::string_view name, std::size_t limit) {
    return edit_distance(text, has_region ? name : place_of(name), limit);
  };
  std::size_t best = misspelling_max(text.size());
  Suggestions suggestions;
  for (const std::string& name : known.names) {
    if (!has_zone_form(name)) continue;
    const std::size_t edits = distance(name, best);
    if (edits > best) continue;
    if (edits < best) suggestions.clear();
    best = edits;
    suggest(suggestions, name, known);
  }
  return suggestions;
}

/// The zone that a name without region stands for: `Japan`, `GB`, `Zulu`.
std::string_view target_of_alias(std::string_view text, const ZoneNames& known) {
  for (const auto& [alias, target] : known.links) {
    if (has_zone_form(alias) || !equals_loosely(alias, text)) continue;
    if (target == "Etc/UTC") return "UTC";
    if (target == "Etc/GMT") return "GMT";
    return has_zone_form(target) ? std::string_view{target} : std::string_view{};
  }
  return {};
}

bool drop_prefix(std::string_view& text, std::string_view prefix) {
  if (!equals_loosely(text.substr(0, prefix.size()), prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::optional<int> number_of(std::string_view digits) {
  if (digits.empty() || digits.size() > 2 || !std::ranges::all_of(digits, is_digit)) return std::nullopt;
  int number = 0;
  for (const char c : digits) number = number * 10 + (c - '0');
  return number;
}

/// Minutes ahead of UTC of `+5`, `UTC+05:30`, `GMT-0500`; and of `Etc/GMT+05`, whose sign is inverted.
std::optional<int> offset_minutes(std::string_view text) {
  const bool is_inverted = drop_prefix(text, "etc/gmt");
  if (!is_inverted && !drop_prefix(text, "etc/utc") && !drop_prefix(text, "utc")) drop_prefix(text, "gmt");
  text = trimmed(text);
  if (text.empty() || (text.front() != '+' && text.front() != '-')) return std::nullopt;
  const bool is_ahead = (text.front() == '+') != is_inverted;
  text.remove_prefix(1);

  std::string_view minute_digits = "0";
  if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
    minute_digits = text.substr(colon + 1);
    text = text.substr(0, colon);
  } else if (text.size() == 4) {
    minute_digits = text.substr(2);
    text = text.substr(0, 2);
  }
  const auto hours = number_of(text);
  const auto minutes = number_of(minute_digits);
  if (!hours || !minutes) return std::nullopt;
  const int total = *hours * 60 + *minutes;
  return is_ahead ? total : -total;
}

std::string offset_hint(int minutes) {
  if (minutes == 0) return "did you mean UTC?";
  if (minutes % 60 != 0)
    return "no time zone is named after an offset with minutes; name a place, such as Asia/Kolkata";
  const int hours = minutes / 60;
  if (hours > 14 || hours < -12) {
    return "offsets go from 12 hours behind UTC (Etc/GMT+12) to 14 hours ahead of it (Etc/GMT-14)";
  }
  const int count = std::abs(hours);
  return fmt::format("write Etc/GMT{:+} for {} hour{} {} UTC; the sign in Etc names is inverted", -hours, count,
                     count == 1 ? "" : "s", hours > 0 ? "ahead of" : "behind");
}

bool looks_like_path(std::string_view text) {
  return text.starts_with('/') || text.starts_with('.') || text.starts_with('~') || text.starts_with("posix/") ||
         text.starts_with("right/") || text.find("//") != std::string_view::npos ||
         text.find("/.") != std::string_view::npos || text.find('\\') != std::string_view::npos;
}

bool looks_like_posix_rule(std::string_view text) {
  const auto letters_end = std::ranges::find_if_not(text, is_letter);
  if (letters_end - text.begin() < 3 || letters_end == text.end()) return false;
  return is_digit(*letters_end) || *letters_end == '-' || *letters_end == '+';
}

std::string_view fault_of(ZoneAbbreviation::Kind kind) {
  switch (kind) {
    case ZoneAbbreviation::Kind::abbreviation: return "is an abbreviation, not the name of a time zone";
    case ZoneAbbreviation::Kind::posix_rule: return "is a POSIX rule, not the name of a time zone";
    case ZoneAbbreviation::Kind::alias: return "is an old alias without a region";
  }
  std::unreachable();
}

constexpr std::string_view name_a_place = "name a place, such as Europe/Berlin, or UTC";

bool depends_on_machine(std::string_view text) {
  return std::ranges::any_of(std::to_array<std::string_view>({"localtime", "local", "system", "posixrules", "factory"}),
                             [&](std::string_view word) { return equals_loosely(text, word); });
}

/// Texts that are known for what they are, whatever tzdata says.
std::optional<ZoneAdvice> advise_on_form(std::string_view text, const ZoneNames& known) {
  if (const auto minutes = offset_minutes(text)) {
    return ZoneAdvice{"is an offset, not the name of a time zone", offset_hint(*minutes)};
  }
  if (const ZoneAbbreviation* row = find_zone_abbreviation(text)) {
    return ZoneAdvice{std::string{fault_of(row->kind)}, fmt::format("did you mean {}?", row->meaning)};
  }
  if (depends_on_machine(text)) return ZoneAdvice{"names no place", std::string{name_a_place}};
  if (const auto target = target_of_alias(text, known); !target.empty()) {
    return ZoneAdvice{std::string{fault_of(ZoneAbbreviation::Kind::alias)}, did_you_mean({target})};
  }
  return std::nullopt;
}

std::optional<std::string> hint_from_names(std::string_view text, const ZoneNames& known) {
  if (const auto found = names_at_end_of(text, known); !found.empty()) return did_you_mean(found);
  if (const auto found = names_of_place(text, known); !found.empty()) return did_you_mean(found);
  if (looks_like_posix_rule(text)) {
    if (const auto* row = find_zone_abbreviation_before(text)) return fmt::format("did you mean {}?", row->meaning);
  }
  if (const auto found = nearest_names(text, known); !found.empty()) return did_you_mean(found);
  return std::nullopt;
}

}  // namespace

bool has_zone_form(std::string_view name) {
  if (name == "UTC" || name == "GMT") return true;
  return name.find('/') != std::string_view::npos && !name.starts_with("posix/") && !name.starts_with("right/");
}

ZoneAdvice advise_on_zone(std::string_view name, const ZoneNames& known) {
  if (name.empty()) return {"names no time zone", std::string{name_a_place}};
  const std::string general = fmt::format("{}; `carillon zones` lists all names", name_a_place);
  if (name.size() > considered_length_max) return {unknown_fault(known), general};

  const std::string_view text = trimmed(name);
  if (auto advice = advise_on_form(text, known)) return *std::move(advice);
  if (const auto inside = names_in_region(text, known); !text.empty() && !inside.empty()) {
    return {"is a region, not a time zone", fmt::format("name a place in it, such as {}", one_of(inside))};
  }
  return {looks_like_path(name) ? "is a path, not the name of a time zone" : unknown_fault(known),
          hint_from_names(text, known).value_or(general)};
}

}  // namespace carillon
