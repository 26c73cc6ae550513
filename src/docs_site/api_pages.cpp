#include "docs_site/api_pages.hpp"

#include "docs_site/api_operation.hpp"
#include "docs_site/api_schema.hpp"
#include "docs_site/html_text.hpp"
#include "document/document.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace carillon::docs_site {
namespace {

namespace json = boost::json;

std::vector<ApiOperation> operations_of(const json::value& root) {
  std::vector<ApiOperation> operations;
  for (const auto& [path, item] : object_in(root, "paths"))
    if (item.is_object())
      for (const auto& [method, node] : item.get_object())
        if (!text_in(node, "operationId").empty())
          operations.push_back({.method = method, .path = path, .node = &node});
  return operations;
}

bool has_tag(const ApiOperation& operation, std::string_view tag) {
  const json::array& tags = list_in(*operation.node, "tags");
  return std::ranges::find(tags, json::value(tag)) != tags.end();
}

std::string title_of_tag(std::string_view tag) {
  std::string title{tag};
  if (!title.empty() && title[0] >= 'a' && title[0] <= 'z') title[0] = static_cast<char>(title[0] - 'a' + 'A');
  return title;
}

void add_heading(MarkdownPage& page, std::string anchor, std::string text) {
  page.headings.push_back({.level = 2, .anchor = std::move(anchor), .text = std::move(text)});
}

ApiPage index_page(const json::value& root, const std::vector<ApiOperation>& operations) {
  ApiPage page{.address = "docs/api", .content = {.title = "The API", .html = {}, .headings = {}}};
  std::string& html = page.content.html;
  const json::value* info = root.as_object().if_contains("info");
  html = fmt::format(
      "<h1>The API</h1>\n<p>{}</p>\n<p>How to call it: <a href=\"reference/rest\">the REST API</a>. This "
      "description for programs: <a href=\"../openapi.json\">openapi.json</a>.</p>\n",
      escaped(info == nullptr ? "" : text_in(*info, "description")));
  for (const json::value& tag : list_in(root, "tags")) {
    const std::string name{text_in(tag, "name")};
    html += fmt::format(
        "<h2 id=\"{0}\"><a href=\"api/{0}\">{1}</a></h2>\n<p>{2}</p>\n<div class=\"table\" "
        "tabindex=\"0\"><table><thead><tr><th>request</th><th>scope</th><th></th></tr></thead><tbody>\n",
        escaped(name), escaped(title_of_tag(name)), escaped(text_in(tag, "description")));
    for (const ApiOperation& operation : operations)
      if (has_tag(operation, name))
        html += fmt::format("<tr><td><code>{} {}</code></td><td>{}</td><td><a href=\"api/{}#{}\">{}</a></td></tr>\n",
                            method_of(operation), escaped(operation.path), escaped(text_in(*operation.node, "x-scope")),
                            escaped(name), escaped(id_of(operation)), escaped(text_in(*operation.node, "summary")));
    html += "</tbody></table></div>\n";
    add_heading(page.content, name, title_of_tag(name));
  }
  return page;
}

ApiPage tag_page(const json::value& root, const json::value& tag, const std::vector<ApiOperation>& operations) {
  const std::string name{text_in(tag, "name")};
  ApiPage page{.address = "docs/api/" + name, .content = {.title = "API: " + name, .html = {}, .headings = {}}};
  page.content.html = fmt::format("<h1>API: {}</h1>\n<p>{}</p>\n", escaped(name), escaped(text_in(tag, "description")));
  for (const ApiOperation& operation : operations) {
    if (!has_tag(operation, name)) continue;
    page.content.html += operation_html(root, operation);
    add_heading(page.content, std::string{id_of(operation)}, std::string{text_in(*operation.node, "summary")});
  }
  return page;
}

void add_schema(const json::value& root, const std::string& name, const json::value& schema, MarkdownPage& page) {
  page.html += fmt::format("<h2 id=\"{0}\">{0}</h2>\n", escaped(name));
  if (const std::string_view text = text_in(schema, "description"); !text.empty())
    page.html += fmt::format("<p>{}</p>\n", escaped(text));
  page.html += fmt::format("<p>{}</p>\n", type_html(schema));
  if (const std::string rows = member_rows(root, schema); !rows.empty())
    page.html += fmt::format(
        "<div class=\"table\" tabindex=\"0\"><table><thead><tr><th>member</th><th>type</th><th></th>"
        "</tr></thead><tbody>\n{}</tbody></table></div>\n",
        rows);
  add_heading(page, name, name);
  for (const auto& [key, inner] : object_in(schema, "$defs"))
    add_schema(root, name + "." + std::string{std::string_view{key}}, inner, page);
}

ApiPage schemas_page(const json::value& root) {
  ApiPage page{.address = "docs/api/schemas", .content = {.title = "API: schemas", .html = {}, .headings = {}}};
  page.content.html = "<h1>API: schemas</h1>\n<p>What requests and answers consist of.</p>\n";
  const json::value* components = root.as_object().if_contains("components");
  if (components == nullptr) return page;
  for (const auto& [name, schema] : object_in(*components, "schemas"))
    add_schema(root, std::string{std::string_view{name}}, schema, page.content);
  return page;
}

}  // namespace

Result<std::vector<ApiPage>> render_api(std::string_view yaml) {
  const Document document = TRY(parse_yaml(yaml, document_size_max));
  const json::value& root = document.root;
  if (!root.is_object()) return fail(ErrorCode::invalid_argument, "the description of the API is no object");
  const auto operations = operations_of(root);
  std::vector<ApiPage> pages{index_page(root, operations)};
  for (const json::value& tag : list_in(root, "tags")) pages.push_back(tag_page(root, tag, operations));
  pages.push_back(schemas_page(root));
  return pages;
}

}  // namespace carillon::docs_site
