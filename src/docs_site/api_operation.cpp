#include "docs_site/api_operation.hpp"

#include "docs_site/api_schema.hpp"
#include "docs_site/html_text.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include <optional>

namespace carillon::docs_site {
namespace {

namespace json = boost::json;

std::string plain_value(const json::value& value) {
  return value.is_string() ? std::string{std::string_view{value.get_string()}} : json::serialize(value);
}

std::string in_shell_quotes(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += R"('\'')";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

/// The value of the first example of a body or an answer.
std::optional<json::value> first_example(const json::value& root, const json::value& content) {
  for (const auto& [name, example] : object_in(content, "examples")) {
    const json::value& whole = resolved(root, example);
    if (const auto* object = whole.if_object(); object != nullptr && object->contains("value"))
      return object->at("value");
  }
  return std::nullopt;
}

struct Body {
  std::string_view type;
  const json::value* content = nullptr;
};

Body body_of(const json::value& node) {
  const auto* request = node.as_object().if_contains("requestBody");
  if (request == nullptr) return {};
  for (const auto& [type, content] : object_in(*request, "content")) return {.type = type, .content = &content};
  return {};
}

/// The address with examples for ids, and the parameters that must be there.
std::string example_address(const json::value& root, const ApiOperation& operation) {
  std::string path{operation.path};
  std::string query;
  for (const json::value& entry : list_in(*operation.node, "parameters")) {
    const json::value& parameter = resolved(root, entry);
    const std::string name{text_in(parameter, "name")};
    const auto* example = parameter.as_object().if_contains("example");
    const std::string value = example == nullptr ? name : plain_value(*example);
    const auto* required = parameter.as_object().if_contains("required");
    const std::string_view place = text_in(parameter, "in");
    if (const std::size_t at = path.find("{" + name + "}"); place == "path" && at != std::string::npos)
      path.replace(at, name.size() + 2, value);
    if (place == "query" && required != nullptr && *required == json::value(true))
      query += (query.empty() ? "?" : "&") + name + "=" + value;
  }
  return path + query;
}

std::string parameter_table(const json::value& root, const json::value& node) {
  std::string rows;
  for (const json::value& entry : list_in(node, "parameters")) {
    const json::value& parameter = resolved(root, entry);
    const auto* schema = parameter.as_object().if_contains("schema");
    const auto* required = parameter.as_object().if_contains("required");
    rows += fmt::format(
        "<tr><td><code>{}</code>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n", escaped(text_in(parameter, "name")),
        required != nullptr && *required == json::value(true) ? " <span class=\"required\">required</span>" : "",
        escaped(text_in(parameter, "in")), schema == nullptr ? std::string{} : type_html(*schema),
        escaped(text_in(parameter, "description")));
  }
  if (rows.empty()) return {};
  return fmt::format(
      "<h3>Parameters</h3>\n<div class=\"table\" tabindex=\"0\"><table><thead><tr><th>name</th><th>in</th><th>type</th>"
      "<th></th></tr></thead><tbody>\n{}</tbody></table></div>\n",
      rows);
}

std::string members_table(const json::value& root, const json::value& schema) {
  const std::string rows = text_in(schema, "$ref").empty() ? member_rows(root, schema) : std::string{};
  const std::string type = fmt::format("<p>{}</p>\n", type_html(schema));
  if (rows.empty()) return type;
  return fmt::format(
      "<div class=\"table\" tabindex=\"0\"><table><thead><tr><th>member</th><th>type</th><th></th></tr>"
      "</thead><tbody>\n{}</tbody></table></div>\n",
      rows);
}

std::string example_block(std::string_view name, const json::value& example) {
  const std::string text = example.is_string() ? plain_value(example) : indented_json(example);
  return fmt::format("<details><summary>{}</summary><pre tabindex=\"0\"><code>{}</code></pre></details>\n",
                     escaped(name), escaped(text));
}

std::string body_html(const json::value& root, const json::value& node) {
  const Body body = body_of(node);
  if (body.content == nullptr) return {};
  std::string html = fmt::format("<h3>Body</h3>\n<p><code>{}</code></p>\n", escaped(body.type));
  if (const auto* schema = body.content->as_object().if_contains("schema")) html += members_table(root, *schema);
  if (const auto example = first_example(root, *body.content)) html += example_block("Example", *example);
  return html;
}

std::string answers_html(const json::value& root, const json::value& node) {
  std::string rows;
  std::string example;
  for (const auto& [status, entry] : object_in(node, "responses")) {
    const json::value& answer = resolved(root, entry);
    std::string types;
    for (const auto& [type, content] : object_in(answer, "content")) {
      const auto* schema = content.as_object().if_contains("schema");
      if (!types.empty()) types += " or ";
      types += schema == nullptr ? escaped(type) : type_html(*schema);
      if (const auto value = first_example(root, content);
          value && example.empty() && std::string_view{status}.starts_with('2'))
        example = example_block(fmt::format("Example of {}", std::string_view{status}), *value);
    }
    rows += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td></tr>\n", escaped(status), types,
                        escaped(text_in(answer, "description")));
  }
  return fmt::format(
      "<h3>Answers</h3>\n<div class=\"table\" "
      "tabindex=\"0\"><table><thead><tr><th>status</th><th>body</th><th></th></tr>"
      "</thead><tbody>\n{}</tbody></table></div>\n{}",
      rows, example);
}

}  // namespace

std::string_view id_of(const ApiOperation& operation) { return text_in(*operation.node, "operationId"); }

std::string method_of(const ApiOperation& operation) {
  std::string method;
  for (const char c : operation.method) method += static_cast<char>(c - 'a' + 'A');
  return method;
}

std::string indented_json(const json::value& value, std::size_t depth) {
  const std::string inner(2 * depth + 2, ' ');
  const std::string outer(2 * depth, ' ');
  std::string text;
  const auto add = [&](const std::string& entry) { text += (text.empty() ? "\n" : ",\n") + inner + entry; };
  if (value.is_object() && !value.get_object().empty()) {
    for (const auto& [key, member] : value.get_object())
      add(json::serialize(json::value(key)) + ": " + indented_json(member, depth + 1));
    return "{" + text + "\n" + outer + "}";
  }
  if (value.is_array() && !value.get_array().empty()) {
    for (const json::value& entry : value.get_array()) add(indented_json(entry, depth + 1));
    return "[" + text + "\n" + outer + "]";
  }
  return json::serialize(value);
}

std::string curl_line(const json::value& root, const ApiOperation& operation) {
  std::string line = "curl --fail-with-body";
  if (operation.method != "get") line += " -X " + method_of(operation);
  if (text_in(*operation.node, "x-scope") != "open") line += " -H \"Authorization: Bearer $TOKEN\"";
  if (const Body body = body_of(*operation.node); body.content != nullptr) {
    line += fmt::format(" -H 'Content-Type: {}'", body.type);
    if (const auto example = first_example(root, *body.content))
      line += " -d " + in_shell_quotes(plain_value(*example));
  }
  return line + " " + in_shell_quotes("http://127.0.0.1:7070" + example_address(root, operation));
}

std::string operation_html(const json::value& root, const ApiOperation& operation) {
  const json::value& node = *operation.node;
  std::string html = fmt::format(
      "<h2 id=\"{}\">{}</h2>\n<p class=\"request\"><code>{} {}</code> <span class=\"scope\">scope {}</span></p>\n",
      escaped(id_of(operation)), escaped(text_in(node, "summary")), method_of(operation), escaped(operation.path),
      escaped(text_in(node, "x-scope")));
  if (const std::string_view text = text_in(node, "description"); !text.empty())
    html += fmt::format("<p>{}</p>\n", escaped(text));
  html += fmt::format("<pre tabindex=\"0\" data-language=\"sh\"><code>{}</code></pre>\n",
                      escaped(curl_line(root, operation)));
  return html + parameter_table(root, node) + body_html(root, node) + answers_html(root, node);
}

}  // namespace carillon::docs_site
