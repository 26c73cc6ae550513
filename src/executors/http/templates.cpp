#include "executors/http/templates.hpp"

#include "base/quoted.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <ranges>
#include <utility>

namespace carillon {
namespace {

namespace json = boost::json;

constexpr std::size_t depth_max = 64;

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::unexpected<Error> unknown_name(std::string_view name, const TextMap& values) {
  auto error = fail(ErrorCode::invalid_argument, "unknown name {} in the body", quoted(name));
  error.error().hint = fmt::format("use one of: {}", fmt::join(std::views::keys(values), ", "));
  error.error().rule = "unknown-template-name";
  return error;
}

/// Texts that may grow to so many bytes together.
class Expansion {
 public:
  Expansion(const TextMap& values, std::size_t size_max) : values_{values}, size_max_{size_max} {}

  Result<std::string> expand(std::string_view text) {
    std::string out;
    while (true) {
      const std::size_t open = text.find("{{");
      const std::size_t close = open == text.npos ? text.npos : text.find("}}", open + 2);
      if (close == text.npos) break;
      TRY(append(out, text.substr(0, open)));
      const std::string_view name = trimmed(text.substr(open + 2, close - open - 2));
      const auto value = values_.find(name);
      if (value == values_.end()) return unknown_name(name, values_);
      TRY(append(out, value->second));
      text.remove_prefix(close + 2);
    }
    TRY(append(out, text));
    return out;
  }

  Result<json::value> expand_tree(const json::value& tree, std::size_t depth) {
    if (depth > depth_max) return fail(ErrorCode::invalid_argument, "the body is nested deeper than {}", depth_max);
    if (const json::string* text = tree.if_string()) return json::value(TRY(expand(*text)));
    if (const json::array* list = tree.if_array()) {
      json::array out;
      for (const json::value& element : *list) out.push_back(TRY(expand_tree(element, depth + 1)));
      return out;
    }
    if (const json::object* object = tree.if_object()) {
      json::object out;
      for (const auto& [key, value] : *object) out.emplace(key, TRY(expand_tree(value, depth + 1)));
      return out;
    }
    return tree;
  }

 private:
  Result<> append(std::string& out, std::string_view more) {
    size_ += more.size();
    if (size_ > size_max_) return fail(ErrorCode::invalid_argument, "the body is larger than {} bytes", size_max_);
    out += more;
    return {};
  }

  const TextMap& values_;
  const std::size_t size_max_;
  std::size_t size_ = 0;
};

}  // namespace

Result<std::string> expand(std::string_view text, const TextMap& values, std::size_t size_max) {
  return Expansion{values, size_max}.expand(text);
}

Result<json::value> expand_tree(const json::value& tree, const TextMap& values, std::size_t size_max) {
  return Expansion{values, size_max}.expand_tree(tree, 0);
}

}  // namespace carillon
