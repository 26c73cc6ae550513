#include "document/yaml_builder.hpp"

#include "base/quoted.hpp"
#include "base/utf8.hpp"
#include "document/json_pointer.hpp"
#include "document/yaml_scalar.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>
#include <fmt/format.h>
#include <yaml-cpp/emitterstyle.h>
#include <yaml-cpp/mark.h>

#include <algorithm>
#include <utility>

namespace carillon {
namespace {

namespace json = boost::json;

constexpr std::string_view builder_rule = "invalid-yaml";
constexpr std::string_view plain_tag = "?";
constexpr std::string_view quoted_tag = "!";
constexpr std::string_view core_tag_prefix = "tag:yaml.org,2002:";

std::size_t offset_of(const YAML::Mark& mark) { return static_cast<std::size_t>(std::max(mark.pos, 0)); }

[[noreturn]] void refuse(std::size_t offset, std::string what, std::string hint = {},
                         std::string_view broken_rule = builder_rule) {
  throw YamlFault{.offset = offset, .rule = broken_rule, .what = std::move(what), .hint = std::move(hint)};
}

[[noreturn]] void refuse_tag(std::size_t offset, std::string_view tag) {
  refuse(offset, fmt::format("the tag {} is not known", quoted(tag)),
         "leave it out; only the core tags such as !!str may be used");
}

/// yaml-cpp writes the escapes \N and \_ as single bytes; in UTF-8 they have a C2 before them.
std::string with_repaired_escapes(std::string_view text) {
  std::string repaired;
  while (const auto fault = find_malformed_utf8(text)) {
    repaired.append(text.substr(0, *fault)).append({'\xC2', text[*fault]});
    text.remove_prefix(*fault + 1);
  }
  return repaired.append(text);
}

/// The memory a copy of the value takes, roughly.
std::size_t size_of(const json::value& value) {
  std::size_t size = sizeof(json::value);
  if (const auto* object = value.if_object()) {
    for (const auto& [key, member] : *object) size += sizeof(json::key_value_pair) + key.size() + size_of(member);
  } else if (const auto* array = value.if_array()) {
    for (const auto& element : *array) size += size_of(element);
  } else if (const auto* string = value.if_string()) {
    size += string->size();
  }
  return size;
}

bool is_of_kind(const json::value& value, std::string_view kind) {
  return (kind == "null" && value.is_null()) || (kind == "bool" && value.is_bool()) ||
         (kind == "int" && (value.is_int64() || value.is_uint64())) || (kind == "float" && value.is_number());
}

json::value resolve(std::size_t offset, std::string_view text) {
  auto value = plain_scalar(text);
  if (!value) refuse(offset, value.error().message, "put it in quotes if it is meant as text");
  return *std::move(value);
}

/// A scalar by its tag: `?` stands for none, `!` for quotes.
json::value scalar(std::size_t offset, std::string_view tag, const std::string& text) {
  if (tag == plain_tag) return resolve(offset, text);
  if (tag == quoted_tag) return json::value(json::string(with_repaired_escapes(text)));
  if (!tag.starts_with(core_tag_prefix)) refuse_tag(offset, tag);
  const std::string_view kind = tag.substr(core_tag_prefix.size());
  if (kind == "str") return json::value(json::string(with_repaired_escapes(text)));
  json::value value = resolve(offset, text);
  if (!is_of_kind(value, kind)) refuse(offset, fmt::format("{} does not fit the tag !!{}", quoted(text), kind));
  return value;
}

void check_container_tag(std::size_t offset, std::string_view tag, std::string_view kind) {
  if (tag == plain_tag || tag == quoted_tag) return;
  if (!tag.starts_with(core_tag_prefix) || tag.substr(core_tag_prefix.size()) != kind) refuse_tag(offset, tag);
}

}  // namespace

Document YamlBuilder::take() { return {.root = std::move(root_), .positions = positions_.take()}; }

void YamlBuilder::OnDocumentStart(const YAML::Mark& mark) {
  const std::size_t offset = offset_of(mark);
  if (has_document_ && text_.substr(std::min(offset, text_.size())).starts_with("---"))
    refuse(offset, "a second document begins here", "keep one document per file");
  if (has_document_) refuse(offset, "this does not belong to the document above", "check indentation and quotes");
  has_document_ = true;
}

void YamlBuilder::OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) {
  const std::size_t offset = offset_of(mark);
  if (expects_key()) refuse(offset, "a key must be text", "put the key in quotes");
  const bool is_element = !open_.empty() && open_.back().value.is_array();
  const char first = offset < text_.size() ? text_[offset] : '\n';
  if (is_element && open_.back().is_flow && first == ',') refuse(offset, "there is nothing before this comma");
  if (first == '!') refuse(offset, "nothing follows this tag");
  count_value(offset);
  // Of an element that is left out, the mark tells only where the next one begins.
  if (!is_element || std::string_view{"~nN&"}.contains(first)) note_position(offset);
  end_value(nullptr, anchor, 0);
}

void YamlBuilder::OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) {
  const std::size_t offset = offset_of(mark);
  if (expects_key()) refuse(offset, "a key must be text, not an alias");
  const auto anchored = anchored_.find(anchor);
  if (anchored == anchored_.end()) refuse(offset, "this alias is inside the value that it repeats");
  if (open_.size() + anchored->second.height > document_depth_max)
    refuse(offset, fmt::format("nesting deeper than {}", document_depth_max));
  spend(offset, anchored->second.size);
  begin_value(offset);
  end_value(anchored->second.value, YAML::NullAnchor, anchored->second.height);
}

void YamlBuilder::OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                           const std::string& text) {
  const std::size_t offset = offset_of(mark);
  if (expects_key()) {
    if (tag == plain_tag && text == "<<") refuse(offset, "merge keys (<<) are not part of YAML 1.2");
    const json::value key = scalar(offset, tag == plain_tag ? quoted_tag : std::string_view{tag}, text);
    if (!key.is_string()) refuse(offset, "a key must be text", "put the key in quotes");
    remember(anchor, key, 0);
    take_key(offset, key.get_string());
    return;
  }
  begin_value(offset);
  end_value(scalar(offset, tag, text), anchor, 0);
}

void YamlBuilder::OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                                  YAML::EmitterStyle::value style) {
  const std::size_t offset = offset_of(mark);
  check_container_tag(offset, tag, "seq");
  begin_container(offset, json::array{}, anchor, style == YAML::EmitterStyle::Flow);
}

void YamlBuilder::OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                             YAML::EmitterStyle::value style) {
  const std::size_t offset = offset_of(mark);
  check_container_tag(offset, tag, "map");
  begin_container(offset, json::object{}, anchor, style == YAML::EmitterStyle::Flow);
}

bool YamlBuilder::expects_key() const {
  return !open_.empty() && open_.back().value.is_object() && !open_.back().has_key;
}

void YamlBuilder::take_key(std::size_t offset, std::string_view key) {
  Container& container = open_.back();
  if (container.value.get_object().contains(key))
    refuse(offset, fmt::format("the key {} appears twice", quoted(key)), {}, "duplicate-key");
  container.has_key = true;
  container.key = key;
  container.key_position = walk_.at(offset);
}

void YamlBuilder::begin_value(std::size_t offset) {
  count_value(offset);
  note_position(offset);
}

void YamlBuilder::count_value(std::size_t offset) {
  last_offset_ = offset;
  if (++value_count_ > yaml_value_count_max)
    refuse(offset, fmt::format("more than {} values", yaml_value_count_max), "write it as JSON");
}

void YamlBuilder::note_position(std::size_t offset) {
  Position position = walk_.at(offset);
  if (!open_.empty()) {
    Container& parent = open_.back();
    pointer_.resize(parent.pointer_size);
    if (parent.value.is_object()) {
      append_key(pointer_, parent.key);
      if (position.line != parent.key_position.line) position = parent.key_position;
    } else {
      append_key(pointer_, fmt::format_int{parent.value.get_array().size()}.c_str());
    }
  }
  positions_.add(pointer_, position);
}

void YamlBuilder::begin_container(std::size_t offset, json::value empty, YAML::anchor_t anchor, bool is_flow) {
  if (expects_key()) {
    // yaml-cpp takes a bracket at the beginning of a line for a key as long as it has not seen it closed.
    const bool is_bracket = is_flow && offset < text_.size() && (text_[offset] == '[' || text_[offset] == '{');
    refuse(offset, is_bracket ? "this bracket is not closed, or is used as a key" : "a key must be text",
           "close the bracket, or put the key in quotes");
  }
  if (open_.size() >= document_depth_max) refuse(offset, fmt::format("nesting deeper than {}", document_depth_max));
  begin_value(offset);
  open_.push_back({.value = std::move(empty),
                   .anchor = anchor,
                   .is_flow = is_flow,
                   .key = {},
                   .key_position = {},
                   .pointer_size = pointer_.size()});
}

void YamlBuilder::end_container() {
  Container container = std::move(open_.back());
  open_.pop_back();
  end_value(std::move(container.value), container.anchor, container.height);
}

void YamlBuilder::end_value(json::value value, YAML::anchor_t anchor, std::size_t height) {
  remember(anchor, value, height);
  if (open_.empty()) {
    root_ = std::move(value);
    return;
  }
  Container& parent = open_.back();
  parent.height = std::max(parent.height, height + 1);
  if (auto* array = parent.value.if_array()) {
    array->push_back(std::move(value));
  } else {
    parent.value.get_object().emplace(parent.key, std::move(value));
    parent.has_key = false;
  }
}

void YamlBuilder::remember(YAML::anchor_t anchor, const json::value& value, std::size_t height) {
  if (anchor == YAML::NullAnchor) return;
  const std::size_t size = size_of(value);
  spend(last_offset_, size);
  anchored_.insert_or_assign(anchor, Anchored{.value = value, .size = size, .height = height});
}

void YamlBuilder::spend(std::size_t offset, std::size_t size) {
  copied_size_ += size;
  if (copied_size_ > document_size_max)
    refuse(offset, fmt::format("the aliases repeat more than {} bytes", document_size_max), "write the values out");
}

}  // namespace carillon
