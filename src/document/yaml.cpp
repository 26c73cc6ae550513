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
#include <vector>

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
    Translation{YAML::ErrorMsg::MAP_VALUE, "a colon is not allowed here", "put the text in quotes"},
    Translation{YAML::ErrorMsg::MAP_KEY, "a key cannot start here", "check the indentation"},
    Translation{YAML::ErrorMsg::BLOCK_ENTRY, "a list cannot start here", "start it on its own line"},
    Translation{YAML::ErrorMsg::FLOW_END, "this closing bracket has no opening one", "put the text in quotes"},
    Translation{YAML::ErrorMsg::TAB_IN_INDENTATION, "a tab in the indentation", "indent with spaces"},
    Translation{YAML::ErrorMsg::DOC_IN_SCALAR, "a quote is not closed", "close it where its text ends"},
    Translation{YAML::ErrorMsg::EOF_IN_SCALAR, "a quote is not closed", "close it where its text ends"},
    Translation{YAML::ErrorMsg::UNKNOWN_TOKEN, "a value cannot start like this", "put the text in quotes"},
    Translation{YAML::ErrorMsg::UNKNOWN_ANCHOR, "this alias has no anchor before it",
                "put the text in quotes if it is meant as text"},
    Translation{YAML::ErrorMsg::ALIAS_NOT_FOUND, "text that starts with * must be in quotes",
                "put the whole value in quotes"},
    Translation{YAML::ErrorMsg::CHAR_IN_ALIAS, "text that starts with * must be in quotes",
                "put the whole value in quotes"},
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

/// The last line up to an offset that is indented with a tab, as the offset of that tab. yaml-cpp often stumbles over
/// what follows it instead.
std::optional<std::size_t> find_tab_before(std::string_view text, std::size_t offset) {
  std::size_t end = std::min(offset, text.size());
  for (;;) {
    const std::size_t break_before = end == 0 ? std::string_view::npos : text.rfind('\n', end - 1);
    const std::size_t begin = break_before == std::string_view::npos ? 0 : break_before + 1;
    const std::size_t tab = text.find_first_not_of(' ', begin);
    const bool is_blank =
        text.substr(begin, text.find('\n', begin) - begin).find_first_not_of(" \t\r") == std::string_view::npos;
    if (tab != std::string_view::npos && text[tab] == '\t' && !is_blank) return tab;
    // Only what is wrong here or right above is about the tab.
    if (begin == 0 || !is_blank) return std::nullopt;
    end = break_before;
  }
}

/// What follows an offset on its line, in quotes: `"* 9 * * *"`.
std::string quoted_rest_of_line(std::string_view text, std::size_t offset) {
  constexpr std::size_t length_max = 40;
  std::string_view rest = text.substr(std::min(offset, text.size()));
  rest = rest.substr(0, rest.find('\n'));
  rest = rest.substr(0, rest.find(" #"));
  rest = rest.substr(0, rest.find_last_not_of(" \r") + 1);
  return rest.size() <= length_max && !rest.contains('"') ? fmt::format("\"{}\"", rest) : std::string{};
}

YamlFault fault_of(const YAML::ParserException& exception, std::string_view text) {
  auto offset = static_cast<std::size_t>(std::max(exception.mark.pos, 0));
  if (const auto tab = find_tab_before(text, offset))
    return {*tab, rule, "a tab in the indentation", "indent with spaces"};
  // The mark stands behind the star.
  const bool is_star =
      exception.msg == YAML::ErrorMsg::ALIAS_NOT_FOUND || exception.msg == YAML::ErrorMsg::CHAR_IN_ALIAS;
  if (is_star) {
    offset = text.rfind('*', offset) == std::string_view::npos ? offset : text.rfind('*', offset);
    if (const std::string fixed = quoted_rest_of_line(text, offset); !fixed.empty())
      return {offset, rule, "text that starts with * must be in quotes", "write " + fixed};
  }
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
    return std::unexpected(fault_of(exception, body));
  } catch (const std::exception& exception) {
    return std::unexpected(YamlFault{0, rule, exception.what(), {}});
  }
  return builder.take();
}

}  // namespace

namespace {

Result<> check_yaml(std::string_view text, std::size_t size_max) {
  if (auto sized = check_size(text, size_max, rule); !sized) {
    sized.error().hint = fmt::format("split it into several files; as JSON it may have {} bytes", document_size_max);
    return sized;
  }
  return check_characters(text);
}

/// Reads `text` from `begin` to `end`; faults are placed in the whole text.
Result<Document> parse_part(std::string_view text, std::size_t begin, std::size_t end) {
  auto document = build(text.substr(begin, end - begin));
  if (document) return *std::move(document);
  YamlFault& fault = document.error();
  const std::size_t offset = std::min(fault.offset + begin, text.size());
  return std::unexpected(text_fault(text, offset, fault.rule, fault.what, std::move(fault.hint)));
}

bool begins_document(std::string_view line) {
  return line.starts_with("---") && (line.size() == 3 || std::string_view{" \t\r"}.contains(line[3]));
}

/// Blanks, comments and directives belong to what follows, as `---` alone does.
bool has_content(std::string_view line) {
  if (begins_document(line)) line.remove_prefix(3);
  const std::size_t first = line.find_first_not_of(" \t\r");
  return first != std::string_view::npos && line[first] != '#' && line[first] != '%';
}

/// Where a document stands in a text.
struct DocumentPlace {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t line_count = 0;  // before it
};

/// The documents of a text, without those that have no content. At the beginning of a line `---` can be nothing but the
/// begin of one.
std::vector<DocumentPlace> documents_in(std::string_view text, std::size_t first) {
  std::vector<DocumentPlace> places{{.begin = first, .end = text.size()}};
  bool has_any = false;    // the document has content
  bool is_marked = false;  // it was begun by `---`
  std::size_t line_count = 0;
  for (std::size_t offset = first; offset < text.size(); ++line_count) {
    const std::string_view line = text.substr(offset, text.find('\n', offset) - offset);
    if (begins_document(line)) {
      const DocumentPlace place{.begin = offset, .end = text.size(), .line_count = line_count};
      if (has_any) {
        places.back().end = offset;
        places.push_back(place);
      } else if (is_marked) {
        places.back() = place;
      }
      has_any = false;
      is_marked = true;
    }
    has_any |= has_content(line);
    offset += line.size() + 1;
  }
  if (places.size() > 1 && !has_any) places.pop_back();
  return places;
}

}  // namespace

Result<Document> parse_yaml(std::string_view text, std::size_t size_max) {
  TRY(check_yaml(text, size_max));
  return parse_part(text, byte_order_mark(text).size(), text.size());
}

std::vector<Result<Document>> parse_yaml_documents(std::string_view text) {
  std::vector<Result<Document>> documents;
  if (const auto sound = check_yaml(text, yaml_size_max); !sound) {
    documents.emplace_back(std::unexpected(sound.error()));
    return documents;
  }
  for (const DocumentPlace& place : documents_in(text, byte_order_mark(text).size())) {
    auto document = parse_part(text, place.begin, place.end);
    if (document) {
      for (auto& [pointer, position] : document->positions) position.line += place.line_count;
    }
    documents.push_back(std::move(document));
  }
  return documents;
}

}  // namespace carillon
