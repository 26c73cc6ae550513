#include "definitions/lint_action.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace carillon {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Action with_variable(const std::string& name, const std::string& value) {
  CommandAction command;
  command.env = {{name, value}};
  return command;
}

std::vector<std::string> found_in(const Action& action) {
  std::vector<std::string> found;
  for (const Finding& finding : lint_action(action, {})) {
    EXPECT_THAT(finding.message + finding.fix, Not(HasSubstr("hunter2")));
    found.push_back(finding.pointer + " " + std::string{finding.code});
  }
  return found;
}

TEST(LintAction, warns_of_values_that_look_like_secrets) {
  for (const char* name : {"DB_PASSWORD", "PGPASSWORD", "password", "GITHUB_TOKEN", "ACCESSTOKEN", "CLIENT_SECRET",
                           "AWS_SECRET_ACCESS_KEY", "API_KEY", "api-key", "SSH_KEY", "MYSQL_PWD", "BASIC_AUTH"})
    EXPECT_THAT(found_in(with_variable(name, "hunter2")),
                ElementsAre("/command/env/" + std::string{name} + " literal-secret"));
}

TEST(LintAction, leaves_other_values_alone) {
  for (const char* name : {"PATH", "PWD", "OLDPWD", "SSH_AUTH_SOCK", "KEYBOARD", "MONKEY", "AUTHOR", "TOKENIZERS",
                           "DB_PASSWORD_FILE", "SSH_KEY_PATH", "AWS_ACCESS_KEY_ID", "TOKEN_URL", "SECRETARY"})
    EXPECT_THAT(found_in(with_variable(name, "hunter2")), IsEmpty()) << name;
  for (const char* value : {"", "${secret:a}", "postgres://u:${env:PW}@h"})
    EXPECT_THAT(found_in(with_variable("PASSWORD", value)), IsEmpty()) << value;
}

TEST(LintAction, warns_of_headers_too) {
  HttpAction http;
  http.headers = {
      {"Authorization", "Bearer hunter2"}, {"X-Api-Key", "hunter2"}, {"Cookie", "hunter2"}, {"Accept", "hunter2"}};

  EXPECT_THAT(found_in(http),
              ElementsAre("/http/headers/Authorization literal-secret", "/http/headers/Cookie literal-secret",
                          "/http/headers/X-Api-Key literal-secret"));
}

TEST(LintAction, warns_of_references_that_the_server_will_not_resolve) {
  const SecretRefusal refusal = [](std::string_view reference) -> std::optional<Error> {
    if (reference == "${env:KNOWN}") return std::nullopt;
    return Error{.code = ErrorCode::not_found,
                 .message = "not " + std::string{reference},
                 .hint = "allow it",
                 .rule = {},
                 .position = {},
                 .context = {}};
  };

  EXPECT_THAT(lint_action(with_variable("A", "${env:KNOWN}"), refusal), IsEmpty());
  const auto found = lint_action(with_variable("A", "${env:OTHER}"), refusal);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].code, "unreadable-secret");
  EXPECT_EQ(found[0].message, "not ${env:OTHER}");
  EXPECT_EQ(found[0].fix, "allow it");
}

}  // namespace
}  // namespace carillon
