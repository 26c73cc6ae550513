#include "base/quoted.hpp"
#include "base/utf8.hpp"
#include "document/document.hpp"
#include "document/positions.hpp"
#include "document/text_fault.hpp"
#include "document/yaml_builder.hpp"

#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <array>
#include <exception>
#include <optional>
#include <span>
#include <spanstream>
#include <utility>

namespace carillon {
namespace {

constexpr std::string_view rule = "invalid-yaml";

/// What yaml-cpp says, in words that tell a writer of YAML what to do.
struct Translation {
  std::string_view yaml_cpp;
  std::string_view what;
  std::string_view hint;
};

const std::array translations{
    Translation{YAML::ErrorMsg::END_OF_MAP, "this does not fit the mapping above it",
                "check its indentation, and that it has the form key: value"},
    Translation{YAML::ErrorMsg::END_OF_SEQ, "this does not fit the list above it",
                "check its indentation, and that it begins with a dash"},
    Translation{YAML::ErrorMsg::END_OF_MAP_FLOW, "'{' is not closed, or a comma is missing",
                "write it like {a: 1, b: 2}, with texts in quotes"},
    Translation{YAML::ErrorMsg::END_OF_SEQ_FLOW, "'[' is not closed, or a comma is missing",
                "write it like [1, 2], with texts in quotes"},
    Translation{YAML::ErrorMsg::MAP_VALUE, "a colon may not stand here", "put the text in quotes"},
    Translation{YAML::ErrorMsg::MAP_KEY, "a key may not begin here", "check the indentation"},
    Translation{YAML::ErrorMsg::BLOCK_ENTRY, "a list may not begin here", "begin it on a line of its own"},
    Translation{YAML::ErrorMsg::FLOW_END, "nothing is open that this bracket closes", "put the text in quotes"},
    Translation{YAML::ErrorMsg::TAB_IN_INDENTATION, "a tab in the indentation", "indent with spaces"},
    Translation{YAML::ErrorMsg::DOC_IN_SCALAR, "a quote is not closed", "close it where its text ends"},
    Translation{YAML::ErrorMsg::EOF_IN_SCALAR, "a quote is not closed", "close it where its text ends"},
    Translation{YAML::ErrorMsg::UNKNOWN_TOKEN, "a value cannot begin like this", "put the text in quotes"},
    Translation{YAML::ErrorMsg::UNKNOWN_ANCHOR, "this alias has no anchor before it",
                "put the text in quotes if it is meant as text"},
    Translation{YAML::ErrorMsg::BAD_FILE, "nesting too deep", ""},
};

/// Where a character stands that YAML does not know, or that would mislead yaml-cpp: it ends a text at U+0004 and does
/// not take a lone carriage return for the end of a line.
std::optional<std::size_t> find_control_character(std::string_view text) {
  for (std::size_t offset = 0; offset < text.size(); ++offset) {
    const auto c = static_cast<unsigned char>(text[offset]);
    if (c >= 0x20 || c == '\t' || c == '\n') continue;
    if (c == '\r' && text.substr(offset + 1).starts_with('\n')) continue;
    return offset;
  }
  return std::nullopt;
}

/// Where more brackets are open than any text has: yaml-cpp reads them all before it says anything. Those in quotes
/// count too, so the bound is far above the depth that the builder allows.
std::optional<std::size_t> find_excessive_bracket(std::string_view text) {
  constexpr int open_count_max = 512;
  int open_count = 0;
  for (std::size_t offset = 0; offset < text.size(); ++offset) {
    const char c = text[offset];
    if (c == '[' || c == '{') ++open_count;
    if ((c == ']' || c == '}') && open_count > 0) --open_count;
    if (open_count > open_count_max) return offset;
  }
  return std::nullopt;
}

Result<> check_characters(std::string_view text) {
  if (const auto offset = find_malformed_utf8(text))
    return std::unexpected(text_fault(text, *offset, rule, "malformed UTF-8"));
  if (const auto offset = find_control_character(text)) {
    const auto what = fmt::format("the control character {} is not allowed", quoted(text.substr(*offset, 1)));
    return std::unexpected(text_fault(text, *offset, rule, what, "write it as an escape in double quotes"));
  }
  if (const auto offset = find_excessive_bracket(text))
    return std::unexpected(text_fault(text, *offset, rule, "too many open brackets"));
  return {};
}

/// The text with an end-of-document marker after a last line that is blank. Without it yaml-cpp accepts a quote that is
/// never closed there.
std::string with_end_marker(std::string_view text) {
  const std::string_view last_line = text.substr(text.rfind('\n') + 1);
  std::string marked{text};
  if (last_line.empty()) return marked += "...\n";
  if (last_line.find_first_not_of(" \t") == std::string_view::npos) return marked += "\n...\n";
  return marked;
}

YamlFault fault_of(const YAML::ParserException& exception) {
  const auto offset = static_cast<std::size_t>(std::max(exception.mark.pos, 0));
  const auto known = std::ranges::find(translations, exception.msg, &Translation::yaml_cpp);
  if (known == translations.end()) return {offset, rule, exception.msg, {}};
  return {offset, rule, std::string{known->what}, std::string{known->hint}};
}

std::expected<Document, YamlFault> build(std::string_view body) {
  const std::string marked = with_end_marker(body);
  YamlBuilder builder{body};
  try {
    std::ispanstream stream{std::span<const char>{marked}};
    YAML::Parser parser{stream};
    // The second round meets what follows the first document, and the builder refuses it.
    if (parser.HandleNextDocument(builder)) static_cast<void>(parser.HandleNextDocument(builder));
  } catch (const YamlFault& fault) {
    return std::unexpected(fault);
  } catch (const YAML::ParserException& exception) {
    return std::unexpected(fault_of(exception));
  } catch (const std::exception& exception) {
    return std::unexpected(YamlFault{0, rule, exception.what(), {}});
  }
  return builder.take();
}

}  // namespace

Result<Document> parse_yaml(std::string_view text) {
  TRY(check_size(text, yaml_size_max, rule));
  TRY(check_characters(text));
  const std::size_t mark_size = byte_order_mark(text).size();
  auto document = build(text.substr(mark_size));
  if (document) return *std::move(document);
  YamlFault& fault = document.error();
  const std::size_t offset = std::min(fault.offset + mark_size, text.size());
  return std::unexpected(text_fault(text, offset, fault.rule, fault.what, std::move(fault.hint)));
}

}  // namespace carillon
