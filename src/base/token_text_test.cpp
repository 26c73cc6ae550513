#include "base/token_text.hpp"

#include <gtest/gtest.h>

namespace carillon {
namespace {

const std::string secret(40, 'z');
const std::string token = "carillon_0jgykyq4_" + secret;

TEST(TokenText, is_split_into_id_and_secret) {
  const auto parts = split_token(token);

  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->id, "0jgykyq4");
  EXPECT_EQ(parts->secret, secret);
}

TEST(TokenText, is_exactly_a_token_and_nothing_else) {
  EXPECT_FALSE(split_token(""));
  EXPECT_FALSE(split_token(token + "\n"));
  EXPECT_FALSE(split_token(token.substr(1)));
  EXPECT_FALSE(split_token("carillon_0jgykyq4-" + secret));
  EXPECT_FALSE(split_token("carillon_0JGYKYQ4_" + secret));
  EXPECT_FALSE(split_token("carillon_0jgykyq4_" + std::string(39, 'z') + "u")) << "a letter that no secret has";
  EXPECT_FALSE(split_token("-----BEGIN PRIVATE KEY-----"));
}

TEST(TokenText, loses_its_secret_where_people_look) {
  EXPECT_EQ(without_token_secrets("{\"token\": \"" + token + "\", \"role\": \"admin\"}, " + token),
            "{\"token\": \"carillon_0jgykyq4_…\", \"role\": \"admin\"}, carillon_0jgykyq4_…");
  EXPECT_EQ(without_token_secrets("carillon_ and carillon_0jgykyq4_short"), "carillon_ and carillon_0jgykyq4_short");
  EXPECT_EQ(without_token_secrets("carillon_" + token), "carillon_carillon_0jgykyq4_…");
}

}  // namespace
}  // namespace carillon
