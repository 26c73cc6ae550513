#include "document/document.hpp"

#include "document/json_pointer.hpp"
#include "document/json_survey.hpp"
#include "document/positions.hpp"

#include <utility>

namespace carillon {
namespace {

Result<Document> parse_json_document(std::string_view text) {
  auto root = TRY(parse_json(text));
  auto positions = json_positions(text.substr(byte_order_mark(text).size()), root);
  return Document{.root = std::move(root), .positions = std::move(positions)};
}

}  // namespace

Position Document::position(std::string_view pointer) const {
  while (true) {
    const auto found = positions.find(pointer);
    if (found != positions.end()) return found->second;
    if (pointer.empty()) return {};
    pointer = parent_pointer(pointer);
  }
}

Result<Document> parse_document(std::string_view file_name, std::string_view text) {
  return file_name.ends_with(".json") ? parse_json_document(text) : parse_yaml(text);
}

}  // namespace carillon
