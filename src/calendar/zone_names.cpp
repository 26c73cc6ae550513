#include "calendar/zone_names.hpp"

#include "calendar/zone_advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

namespace carillon {
namespace {

constexpr int link_count_max = 8;

struct Renaming {
  std::string_view old_name;
  std::string_view name;
};

// Places whose link in tzdata leads to another country that keeps the same time since 1970.
constexpr auto same_place = std::to_array<Renaming>({
    {"Africa/Asmera", "Africa/Asmara"},
    {"Africa/Timbuktu", "Africa/Bamako"},
    {"America/Coral_Harbour", "America/Atikokan"},
    {"America/Virgin", "America/St_Thomas"},
    {"Antarctica/South_Pole", "Antarctica/McMurdo"},
    {"Atlantic/Jan_Mayen", "Arctic/Longyearbyen"},
    {"Pacific/Ponape", "Pacific/Pohnpei"},
    {"Pacific/Truk", "Pacific/Chuuk"},
    {"Pacific/Yap", "Pacific/Chuuk"},
});

/// The end of a chain of links, or empty if the name is none.
std::string_view follow_links(std::string_view name, const ZoneNames& known) {
  std::string_view target;
  for (int i = 0; i < link_count_max; ++i) {
    const auto link = known.links.find(target.empty() ? name : target);
    if (link == known.links.end()) break;
    target = link->second;
  }
  return target;
}

constexpr std::size_t quoted_length_max = 60;

bool is_printable(std::uint32_t code) {
  const bool is_control = code < 0x20 || (code >= 0x7f && code < 0xa0);
  const bool turns_direction = (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  return !is_control && !turns_direction && code != '"' && code != '\\';
}

/// Bytes of the printable UTF-8 character at the start of the text; 0 if there is none.
std::size_t printable_length(std::string_view text) {
  constexpr std::array<std::uint32_t, 5> code_min{0, 0, 0x80, 0x800, 0x10000};
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) return is_printable(lead) ? 1 : 0;
  const std::size_t length = lead < 0xc0 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf8 ? 4 : 0;
  if (length == 0 || text.size() < length) return 0;
  std::uint32_t code = lead & (0xffU >> (length + 1));
  for (const char c : text.substr(1, length - 1)) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xc0U) != 0x80) return 0;
    code = code << 6 | (byte & 0x3fU);
  }
  const bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
  return code >= code_min[length] && code <= 0x10ffff && !is_surrogate && is_printable(code) ? length : 0;
}

/// The text between quotes, fit for a terminal: shortened, and with escapes for what does not print.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  while (!text.empty() && out.size() < quoted_length_max) {
    const std::size_t length = printable_length(text);
    if (length == 0) {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(text.front()));
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out + (text.empty() ? "\"" : "…\"");
}

}  // namespace

std::string_view ZoneNames::renamed_to(std::string_view name) const {
  // Without the table of countries nothing tells an old name from one that merely shares its rules.
  if (current.empty() || current.contains(name)) return {};
  if (!has_zone_form(name) || name == "UTC" || name == "GMT" || name.starts_with("Etc/")) return {};
  const std::string_view target = follow_links(name, *this);
  if (!has_zone_form(target)) return {};
  const auto row = std::ranges::find(same_place, name, &Renaming::old_name);
  return row != same_place.end() && current.contains(row->name) ? row->name : target;
}

Result<void> check_zone_name(std::string_view name, const ZoneNames& known) {
  // UTC needs no data.
  if (name == "UTC" || (has_zone_form(name) && known.names.contains(name))) return {};
  ZoneAdvice advice = advise_on_zone(name, known);
  return std::unexpected(Error{.code = ErrorCode::invalid_argument,
                               .message = fmt::format("{} {}", quoted(name), advice.fault),
                               .hint = std::move(advice.hint),
                               .rule = "unknown-zone",
                               .position = {},
                               .context = {}});
}

}  // namespace carillon
