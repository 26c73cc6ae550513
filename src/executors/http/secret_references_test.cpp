#include "executors/http/secret_references.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace carillon {
namespace {

using testing::ElementsAre;
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

TEST(SecretReferences, take_a_secret_without_the_line_end_of_its_file) {
  const auto resolved = resolve_references(
      "${file:/key}", [](std::string_view) -> Result<std::string> { return std::string{"a b\r\n"}; });

  EXPECT_EQ(resolved->text, "a b");
}

TEST(SecretReferences, leave_every_other_text_as_it_is) {
  for (const std::string_view text : {"", "$", "${", "${}", "${env:}", "${env:A", "${other:A}", "$${", "a ${HOME} b"}) {
    const auto resolved = resolve_references(text, in_brackets);
    EXPECT_EQ(resolved->text, text);
    EXPECT_THAT(resolved->secrets, IsEmpty());
  }
}

TEST(SecretReferences, end_in_the_error_of_the_one_that_cannot_be_resolved) {
  const auto resolved = resolve_references("${env:A}", [](std::string_view reference) -> Result<std::string> {
    return fail(ErrorCode::not_found, "{} is not set", reference);
  });

  ASSERT_FALSE(resolved);
  EXPECT_EQ(resolved.error().message, "${env:A} is not set");
}

}  // namespace
}  // namespace carillon
