#pragma once

#include "cli/terminal/console.hpp"

#include <string>
#include <string_view>

namespace carillon::cli {

enum class Colour { none, bold, dim, red, green, yellow };

enum class ColourChoice { automatic, always, never };

/// How text looks on one stream: with or without colours, in UTF-8 or in ASCII alone.
class Paint {
 public:
  Paint(bool has_colours, bool has_utf8) : has_colours_{has_colours}, has_utf8_{has_utf8} {}

  /// By the choice; if automatic by NO_COLOR, CLICOLOR_FORCE, TERM and whether the stream is a terminal. UTF-8 by the
  /// locale.
  [[nodiscard]] static Paint of(const Console& console, Stream stream, ColourChoice choice);

  [[nodiscard]] std::string operator()(Colour colour, std::string_view text) const;

  [[nodiscard]] bool has_utf8() const { return has_utf8_; }
  /// The text with the signs this stream can show: `→` becomes `->` where the locale is not UTF-8.
  [[nodiscard]] std::string signs(std::string_view text) const;

 private:
  bool has_colours_;
  bool has_utf8_;
};

}  // namespace carillon::cli
