#include "docs_site/api_pages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace carillon::docs_site {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view description = R"(
info: {description: "About <it>."}
tags: [{name: things, description: Some.}]
paths:
  /api/v1/things/{id}:
    put:
      operationId: putThing
      tags: [things]
      x-scope: edit
      summary: Put a thing
      parameters:
        - {$ref: "#/components/parameters/Id"}
        - {name: dry, in: query, schema: {type: boolean, default: false}}
      requestBody:
        content:
          application/json:
            schema: {$ref: "#/components/schemas/Thing"}
            examples: {one: {value: {name: "it's"}}}
      responses:
        "200":
          description: Done.
          content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Thing"}}}}
components:
  parameters:
    Id: {name: id, in: path, required: true, schema: {type: string}, example: nightly}
  schemas:
    Thing:
      type: object
      required: [name]
      properties:
        name: {type: string, description: What it is called.}
        retry: {type: object, properties: {count: {type: integer, minimum: 1}}}
        kind: {enum: [a, b]}
        other: {$ref: "#/components/schemas/Thing/properties/name"}
)";

std::string page_at(std::string_view address) {
  const auto pages = render_api(description).value();
  for (const ApiPage& page : pages)
    if (page.address == address) return page.content.html;
  return "no such page";
}

TEST(DocsApi, the_first_page_lists_every_operation) {
  EXPECT_THAT(page_at("docs/api"), HasSubstr("<code>PUT /api/v1/things/{id}</code>"));
  EXPECT_THAT(page_at("docs/api"), HasSubstr("<a href=\"api/things#putThing\">Put a thing</a>"));
  EXPECT_THAT(page_at("docs/api"), HasSubstr("About &lt;it&gt;."));
}

TEST(DocsApi, an_operation_has_a_line_that_can_be_pasted) {
  EXPECT_THAT(page_at("docs/api/things"),
              HasSubstr("curl --fail-with-body -X PUT -H &quot;Authorization: Bearer $TOKEN&quot; -H 'Content-Type: "
                        "application/json' -d '{&quot;name&quot;:&quot;it'\\''s&quot;}' "
                        "'http://127.0.0.1:7070/api/v1/things/nightly'"));
}

TEST(DocsApi, parameters_and_answers_name_their_types) {
  EXPECT_THAT(page_at("docs/api/things"), HasSubstr("boolean, default <code>false</code>"));
  EXPECT_THAT(page_at("docs/api/things"), HasSubstr("list of <a href=\"schemas#Thing\">Thing</a>"));
}

TEST(DocsApi, a_schema_has_its_members_and_those_inside_them) {
  EXPECT_THAT(page_at("docs/api/schemas"), HasSubstr("<code>name</code> <span class=\"required\">required</span>"));
  EXPECT_THAT(page_at("docs/api/schemas"),
              HasSubstr("<code>retry.count</code></td><td>integer, at least <code>1</code>"));
  EXPECT_THAT(page_at("docs/api/things"), HasSubstr("&quot;name&quot;: &quot;it's&quot;"));
  EXPECT_THAT(page_at("docs/api/schemas"), HasSubstr("<a href=\"schemas#Thing\">Thing.name</a>"));
  EXPECT_THAT(page_at("docs/api/schemas"), HasSubstr("one of <code>a</code>, <code>b</code>"));
}

TEST(DocsApi, what_is_no_description_is_refused) {
  EXPECT_FALSE(render_api("[1]"));
  EXPECT_FALSE(render_api("a: ["));
}

}  // namespace
}  // namespace carillon::docs_site
