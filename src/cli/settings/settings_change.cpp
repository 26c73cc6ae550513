#include "cli/settings/settings_file.hpp"
#include "document/document.hpp"
#include "files/private_file.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

namespace carillon::cli {

namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    lines.emplace_back(line);
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return lines;
}

bool begins_member(std::string_view line, std::string_view key) {
  if (!line.starts_with(key)) return false;
  line.remove_prefix(key.size());
  return line.substr(std::min(line.size(), line.find_first_not_of(' '))).starts_with(':');
}

/// The text with the lines of one member at its top replaced; what cannot be found so is added at the end.
std::string with_member(std::string_view text, std::string_view key, const json::value* value) {
  std::vector<std::string> lines = lines_of(text);
  std::size_t first = 0;
  while (first < lines.size() && !begins_member(lines[first], key)) ++first;
  // What belongs to the member is indented; a list may stand at its own level.
  std::size_t last = first;
  for (std::size_t i = first + 1; i < lines.size(); ++i) {
    const bool is_blank = lines[i].find_first_not_of(" \t\r") == std::string::npos;
    if (!is_blank && lines[i].front() != ' ' && lines[i].front() != '-') break;
    if (!is_blank) last = i;
  }
  const auto begin = lines.begin() + static_cast<std::ptrdiff_t>(first);
  if (first < lines.size()) lines.erase(begin, lines.begin() + static_cast<std::ptrdiff_t>(last) + 1);
  if (value != nullptr) {
    const auto fresh = lines_of(to_yaml(json::object{{key, *value}}));
    lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(first), fresh.begin(), fresh.end());
  }
  std::string out;
  for (const std::string& line : lines) out += line + '\n';
  return out;
}

/// The new tree as text. If editing lines does not give exactly that tree, such as in a file of one line with braces,
/// the whole is written anew.
std::string edited(std::string_view text, const json::object& before, const json::object& after) {
  std::string out{text};
  for (const auto& [key, value] : before) {
    if (!after.contains(key)) out = with_member(out, key, nullptr);
  }
  for (const auto& [key, value] : after) {
    const json::value* old = before.if_contains(key);
    if (old == nullptr || *old != value) out = with_member(out, key, &value);
  }
  const auto read_back = parse_yaml(out);
  const bool is_same =
      read_back && (read_back->root == json::value(after) || (after.empty() && read_back->root.is_null()));
  return is_same ? out : to_yaml(after);
}

Result<> write_settings(fs::path path, std::string_view text) {
  std::error_code error;
  // A link stays a link: people keep such files elsewhere.
  if (fs::is_symlink(path, error)) path = fs::weakly_canonical(path, error);
  fs::create_directories(path.parent_path(), error);
  const bool is_new = !fs::exists(path, error);
  return while_doing(is_new ? write_private_file(path, text) : replace_file(path, text), "writing settings");
}

}  // namespace

Result<> change_settings_file(const SettingsPlace& place, const Console& console,
                              const std::function<void(json::object&)>& change) {
  // What is wrong in it already is said before anything is written.
  const bool is_there = TRY(read_settings_file(place, console)).has_value();
  std::string text;
  if (is_there) {
    std::ifstream stream{place.path, std::ios::binary};
    text = {std::istreambuf_iterator<char>{stream}, {}};
  }
  const auto document = TRY(parse_yaml(text));
  const json::object before = document.root.is_object() ? document.root.get_object() : json::object{};
  json::object after = before;
  change(after);
  if (after == before) return {};
  return write_settings(place.path, edited(text, before, after));
}

}  // namespace carillon::cli
