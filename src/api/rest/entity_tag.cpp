#include "api/rest/entity_tag.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace carillon::rest {
namespace {

struct Tag {
  bool is_weak = false;
  std::string text{};  // with its quotation marks
};

void skip_spaces(std::string_view& text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
}

/// The tags of a list; none if it is no such list.
std::optional<std::vector<Tag>> tags_in(std::string_view header) {
  std::vector<Tag> tags;
  for (;;) {
    skip_spaces(header);
    Tag tag{.is_weak = header.starts_with("W/")};
    if (tag.is_weak) header.remove_prefix(2);
    const std::size_t end = header.starts_with('"') ? header.find('"', 1) : std::string_view::npos;
    if (end == std::string_view::npos) return std::nullopt;
    tag.text = header.substr(0, end + 1);
    tags.push_back(std::move(tag));
    header.remove_prefix(end + 1);
    skip_spaces(header);
    if (header.empty()) return tags;
    if (header.front() != ',') return std::nullopt;
    header.remove_prefix(1);
  }
}

/// What a tag says of the definition: all before the point.
std::string definition_in(const Tag& tag) {
  const std::string_view inner = std::string_view{tag.text}.substr(1, tag.text.size() - 2);
  return std::string{inner.substr(0, inner.find('.'))};
}

/// Strong comparison: what is weak equals nothing.
std::vector<std::string> definitions_in(const std::vector<Tag>& tags) {
  std::vector<std::string> definitions;
  for (const Tag& tag : tags)
    if (!tag.is_weak) definitions.push_back(definition_in(tag));
  return definitions;
}

std::unexpected<Refusal> no_tag(std::string_view header) {
  return refuse(Refusal::Kind::malformed, "bad_etag", "{} is neither * nor a list of ETags in quotes", header);
}

}  // namespace

std::string entity_tag(const ScheduleState& state, std::string_view body) {
  return fmt::format("\"{}.{:016x}\"", revision_tag(state), std::hash<std::string_view>{}(body));
}

Served<Preconditions> preconditions_in(const http::Request& request) {
  Preconditions when;
  if (const auto header = request.headers.find("If-Match")) {
    const auto tags = tags_in(*header);
    if (*header == "*")
      when.must_exist = true;
    else if (tags)
      when.any_of = definitions_in(*tags);
    else
      return no_tag("If-Match");
  }
  if (const auto header = request.headers.find("If-None-Match")) {
    const auto tags = tags_in(*header);
    if (*header == "*")
      when.must_be_new = true;
    else if (tags)
      for (const Tag& tag : *tags) when.none_of.push_back(definition_in(tag));
    else
      return no_tag("If-None-Match");
  }
  return when;
}

bool is_known_already(const http::Request& request, std::string_view tag) {
  const auto header = request.headers.find("If-None-Match");
  if (!header) return false;
  if (*header == "*") return true;
  const auto tags = tags_in(*header);
  return tags && std::ranges::any_of(*tags, [&](const Tag& known) { return known.text == tag; });
}

}  // namespace carillon::rest
