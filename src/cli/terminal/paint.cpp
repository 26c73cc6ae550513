#include "cli/terminal/paint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace carillon::cli {

namespace {

bool is_set(const std::optional<std::string>& value) { return value && !value->empty(); }

bool wants_colours(const Console& console, Stream stream, ColourChoice choice) {
  if (choice != ColourChoice::automatic) return choice == ColourChoice::always;
  if (is_set(console.environment("NO_COLOR"))) return false;
  const auto force = console.environment("CLICOLOR_FORCE");
  if (is_set(force) && *force != "0") return true;
  return console.is_terminal(stream) && console.environment("TERM") != "dumb";
}

bool names_utf8(std::string locale) {
  std::ranges::transform(locale, locale.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return locale.contains("utf-8") || locale.contains("utf8");
}

/// The first of the three that is set decides, as in the C library.
bool has_utf8_locale(const Console& console) {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const auto value = console.environment(name);
    if (is_set(value)) return names_utf8(*value);
  }
  return false;
}

std::string_view sequence(Colour colour) {
  switch (colour) {
    case Colour::none: return "";
    case Colour::bold: return "1";
    case Colour::dim: return "2";
    case Colour::red: return "31";
    case Colour::green: return "32";
    case Colour::yellow: return "33";
  }
  std::unreachable();
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 22> ascii_signs{
    {{"✔", "ok"}, {"✗", "x"},  {"⊘", "-"},  {"▶", ">"},  {"●", "*"},  {"○", "o"},   {"‖", "="}, {"⧗", "~"},
     {"↻", "r"},  {"█", "#"},  {"⚠", "!"},  {"→", "->"}, {"←", "<-"}, {"…", "..."}, {"–", "-"}, {"—", "-"},
     {"·", "-"},  {"≤", "<="}, {"≥", ">="}, {"×", "x"},  {"“", "\""}, {"”", "\""}}};

/// Length of the UTF-8 sequence that begins with this byte.
std::size_t sequence_length(char first) {
  const auto byte = static_cast<unsigned char>(first);
  return byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

std::string_view ascii_sign(std::string_view character) {
  if (static_cast<unsigned char>(character.front()) < 0x80) return character;
  const auto found = std::ranges::find(ascii_signs, character, &std::pair<std::string_view, std::string_view>::first);
  return found == ascii_signs.end() ? "?" : found->second;
}

}  // namespace

Paint Paint::of(const Console& console, Stream stream, ColourChoice choice) {
  return Paint{wants_colours(console, stream, choice), has_utf8_locale(console)};
}

std::string Paint::operator()(Colour colour, std::string_view text) const {
  if (!has_colours_ || colour == Colour::none || text.empty()) return std::string{text};
  return fmt::format("\x1b[{}m{}\x1b[0m", sequence(colour), text);
}

std::string Paint::signs(std::string_view text) const {
  if (has_utf8_) return std::string{text};
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = std::min(sequence_length(text.front()), text.size());
    out += ascii_sign(text.substr(0, length));
    text.remove_prefix(length);
  }
  return out;
}

}  // namespace carillon::cli
