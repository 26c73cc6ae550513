#include "docs_site/address.hpp"

#include <algorithm>
#include <cstddef>
#include <ranges>
#include <vector>

namespace carillon::docs_site {
namespace {

std::vector<std::string_view> segments_of(std::string_view path) {
  std::vector<std::string_view> segments;
  while (!path.empty()) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    segments.push_back(path.substr(0, slash));
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return segments;
}

std::string joined(const std::vector<std::string_view>& segments) {
  std::string path;
  for (const std::string_view segment : segments) {
    if (!path.empty()) path += '/';
    path += segment;
  }
  return path;
}

}  // namespace

std::string address_of(std::string_view path) {
  if (path.ends_with(".md")) path.remove_suffix(3);
  if (path.ends_with("/README")) return std::string{path.substr(0, path.size() - 7)};
  if (path.contains('/')) return std::string{path};
  std::string address = "docs/project/";
  for (const char c : path) address += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return address;
}

std::string way(std::string_view from, std::string_view to) {
  auto here = segments_of(from);
  const auto there = segments_of(to);
  if (!here.empty()) here.pop_back();
  std::size_t common = 0;
  while (common < here.size() && common < there.size() && here[common] == there[common]) ++common;
  // The last segment of the aim must be named, even if the way there begins in it.
  if (common == there.size() && common > 0) --common;
  std::string path;
  for (std::size_t i = common; i < here.size(); ++i) path += "../";
  path += joined({there.begin() + static_cast<std::ptrdiff_t>(common), there.end()});
  return path.empty() ? "./" : path;
}

std::optional<std::string> linked_path(std::string_view file, std::string_view link) {
  auto segments = segments_of(file);
  const std::string_view target = link.substr(0, link.find('#'));
  if (target.empty()) return std::string{file};
  if (!segments.empty()) segments.pop_back();
  for (const std::string_view segment : segments_of(target)) {
    if (segment == ".") continue;
    if (segment != "..") {
      segments.push_back(segment);
      continue;
    }
    if (segments.empty()) return std::nullopt;
    segments.pop_back();
  }
  return joined(segments);
}

}  // namespace carillon::docs_site
