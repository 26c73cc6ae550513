#include "definitions/secret_references.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace carillon {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Result<std::string> in_brackets(std::string_view reference) { return "<" + std::string{reference.substr(2)} + ">"; }

TEST(SecretReferences, are_replaced_where_they_stand) {
  const auto resolved = resolve_references("Bearer ${env:TOKEN}:${file:/run/key}:${secret:db}!", in_brackets);

  EXPECT_EQ(resolved->text, "Bearer <env:TOKEN}>:<file:/run/key}>:<secret:db}>!");
  EXPECT_THAT(resolved->secrets, ElementsAre("<env:TOKEN}>", "<file:/run/key}>", "<secret:db}>"));
}

TEST(SecretReferences, are_not_looked_for_in_a_secret) {
  const auto resolved = resolve_references(
      "${env:A}", [](std::string_view) -> Result<std::string> { return std::string{"${env:B} ${file:/etc/passwd}"}; });

  EXPECT_EQ(resolved->text, "${env:B} ${file:/etc/passwd}");
}

TEST(SecretReferences, take_a_secret_as_it_is) {
  const auto resolved = resolve_references(
      "${file:/key}", [](std::string_view) -> Result<std::string> { return std::string{"a b\r\n"}; });

  EXPECT_EQ(resolved->text, "a b\r\n");
}

TEST(SecretReferences, leave_every_other_text_as_it_is) {
  for (const std::string_view text :
       {"", "$", "${", "${}", "${env:}", "${env:A", "${other:A}", "$$", "a ${HOME} b", "$a ${1:b}", "${secret:a/b}"}) {
    const auto resolved = resolve_references(text, in_brackets);
    EXPECT_EQ(resolved->text, text);
    EXPECT_THAT(resolved->secrets, IsEmpty());
  }
}

TEST(SecretReferences, are_plain_text_behind_a_second_dollar) {
  const auto resolved = resolve_references("$${env:A} $$${env:B} $${other:C}", in_brackets);

  EXPECT_EQ(resolved->text, "${env:A} $${env:B} ${other:C}");
}

TEST(SecretReferences, end_in_the_error_of_the_one_that_cannot_be_resolved) {
  const auto resolved = resolve_references("${env:A}", [](std::string_view reference) -> Result<std::string> {
    return fail(ErrorCode::not_found, "{} is not set", reference);
  });

  ASSERT_FALSE(resolved);
  EXPECT_EQ(resolved.error().message, "${env:A} is not set");
}

TEST(SecretReferences, are_parsed_whole) {
  using Kind = SecretReference::Kind;

  EXPECT_EQ(*parse_reference("${secret:db.password-1}"), (SecretReference{Kind::secret, "db.password-1"}));
  EXPECT_EQ(*parse_reference("${file:db/..password}"), (SecretReference{Kind::file, "db/..password"}));
  EXPECT_EQ(*parse_reference("${env:_A1}"), (SecretReference{Kind::environment, "_A1"}));
  for (const std::string_view text : {"", "env:A", "${env:A} ", "x${env:A}", "${env:A}${env:B}", "$${env:A}"})
    EXPECT_FALSE(parse_reference(text)) << text;
}

TEST(SecretReferences, that_nothing_can_resolve_are_told) {
  struct Case {
    std::string_view text;
    std::string_view rule;
    std::string_view message;
  };
  for (const Case& c : std::vector<Case>{
           {"Bearer ${vault:db}", "unknown-reference", "${vault:…}"},
           {"${Env:A}", "unknown-reference", "${Env:…}"},
           {"${env:}", "invalid-reference", "\"\""},
           {"${env:A-B}", "invalid-reference", "\"A-B\""},
           {"${env:1A}", "invalid-reference", "\"1A\""},
           {"${secret:}", "invalid-reference", "\"\""},
           {"${secret:a/b}", "invalid-reference", "\"a/b\""},
           {"${secret:..}", "invalid-reference", "\"..\""},
           {"${file:../b}", "invalid-reference", "\"../b\""},
           {"${file:/a/../b}", "invalid-reference", "\"/a/../b\""},
           {"${file:/}", "invalid-reference", "\"/\""},
           {"${env:A} ${secret:b", "invalid-reference", "no closing brace"},
       }) {
    const auto error = check_references(c.text);
    ASSERT_TRUE(error) << c.text;
    EXPECT_EQ(error->rule, c.rule) << c.text;
    EXPECT_THAT(error->message, HasSubstr(std::string{c.message}));
    EXPECT_THAT(error->hint, HasSubstr("${")) << c.text;
  }
  for (const std::string_view text : {"", "plain", "${HOME} $HOME ${a-b}", "${env:A}${secret:b}${file:c/d}",
                                      "$${vault:x}", "${HOME:-/root}", "{{payload}}"})
    EXPECT_FALSE(check_references(text)) << text;
}

TEST(SecretReferences, of_an_action_are_listed_once) {
  CommandAction command;
  command.argv = {"${env:NOT}"};
  command.standard_input = "${env:NOT}";
  command.env = {{"A", "${env:A} ${secret:b}"}, {"B", "x${secret:b}"}, {"C", "$${env:C} ${vault:x}"}};
  HttpAction http;
  http.headers = {{"X", "${file:c}"}};
  http.signing_secret = "${env:KEY}";

  EXPECT_THAT(references_of(command), ElementsAre("${env:A}", "${secret:b}"));
  EXPECT_THAT(references_of(http), ElementsAre("${file:c}", "${env:KEY}"));
  EXPECT_THAT(references_of(JobAction{}), IsEmpty());
}

}  // namespace
}  // namespace carillon
