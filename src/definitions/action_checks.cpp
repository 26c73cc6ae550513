#include "definitions/action_checks.hpp"

#include "base/quoted.hpp"
#include "definitions/members.hpp"
#include "definitions/secret_references.hpp"
#include "definitions/template_names.hpp"
#include "document/json_pointer.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

namespace carillon {
namespace {

namespace json = boost::json;

/// In lower case, beside those that say where a request ends, which are never read: where it goes and when its body is
/// sent is for the sender to say.
constexpr std::array<std::string_view, 2> refused_headers{"expect", "host"};

std::string lower_case(std::string_view text) {
  std::string lower{text};
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

std::string member_pointer(std::string object, std::string_view key) {
  append_key(object, key);
  return object;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

/// The first `{{name}}` that stands for nothing.
std::optional<std::string_view> unknown_name_in(std::string_view text) {
  while (true) {
    const std::size_t open = text.find("{{");
    const std::size_t close = open == text.npos ? text.npos : text.find("}}", open + 2);
    if (close == text.npos) return std::nullopt;
    const std::string_view name = trimmed(text.substr(open + 2, close - open - 2));
    if (std::ranges::find(template_names, name) == template_names.end()) return name;
    text.remove_prefix(close + 2);
  }
}

class ActionCheck {
 public:
  explicit ActionCheck(Problems& problems) : problems_{problems} {}

  void check(const CommandAction& command, const std::string& pointer) {
    for (const auto& [name, value] : command.env) check_text(value, member_pointer(pointer + "/env", name));
  }

  void check(const HttpAction& http, const std::string& pointer) {
    for (const auto& [name, value] : http.headers) {
      const std::string place = member_pointer(pointer + "/headers", name);
      if (std::ranges::find(refused_headers, lower_case(name)) != refused_headers.end())
        note(place, fault("invalid-header", fmt::format("the header {} is set by carillon", name), "leave it out"));
      check_text(value, place);
    }
    if (http.signing_secret) check_text(*http.signing_secret, pointer + "/signingSecret");
    if (http.method == "HEAD" && !http.body.is_null())
      note(pointer + "/body", fault("invalid-body", "a HEAD request cannot have a body", "leave it out, or use POST"));
    check_body(http.body, pointer + "/body");
  }

  void check(const JobAction&, const std::string&) {}
  void check(const PipelineAction&, const std::string&) {}
  void check(const WorkflowAction&, const std::string&) {}

 private:
  void note(std::string pointer, const Error& error) { problems_.push_back(to_problem(std::move(pointer), error)); }

  void check_text(std::string_view text, const std::string& pointer) {
    if (const auto error = check_references(text)) note(pointer, *error);
  }

  // As deep as the reader lets it be.
  void check_body(const json::value& tree, const std::string& pointer) {
    if (const json::string* text = tree.if_string()) {
      if (const auto name = unknown_name_in(*text))
        note(pointer, fault("unknown-template-name", fmt::format("unknown name {}", carillon::quoted(*name)),
                            fmt::format("use one of: {}", fmt::join(template_names, ", "))));
    } else if (const json::array* list = tree.if_array()) {
      for (std::size_t i = 0; i < list->size(); ++i) check_body((*list)[i], element_pointer(pointer, i));
    } else if (const json::object* object = tree.if_object()) {
      for (const auto& [key, value] : *object) check_body(value, member_pointer(pointer, key));
    }
  }

  Problems& problems_;
};

}  // namespace

void check_action(const Action& action, const std::string& pointer, Problems& problems) {
  const std::string place = fmt::format("{}/{}", pointer, kind_of(action));
  ActionCheck check{problems};
  std::visit([&](const auto& kind) { check.check(kind, place); }, action);
}

}  // namespace carillon
