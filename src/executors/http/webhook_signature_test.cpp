#include "executors/http/webhook_signature.hpp"

#include <gtest/gtest.h>

#include <string>

namespace carillon {
namespace {

constexpr std::string_view secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const Instant then{std::chrono::seconds{1'614'265'330}};

TEST(WebhookSignature, is_that_of_the_published_example) {
  const auto keys = parse_signing_keys(secret);

  EXPECT_EQ(webhook_signature(*keys, "msg_p5jXN8AQM9LWM0D4loKWxJek", then, R"({"test": 2432232314})"),
            "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
}

TEST(WebhookSignature, is_made_with_every_key_during_a_rotation) {
  const std::string other = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";

  const std::string first = webhook_signature(*parse_signing_keys(secret), "id", then, "body");
  const std::string second = webhook_signature(*parse_signing_keys(other), "id", then, "body");
  const auto both = parse_signing_keys(std::string{secret} + "  " + other + " ");

  EXPECT_EQ(both->size(), 2U);
  EXPECT_EQ(webhook_signature(*both, "id", then, "body"), first + " " + second);
  EXPECT_NE(first, second);
}

TEST(WebhookSignature, says_the_time_in_whole_seconds) {
  EXPECT_EQ(webhook_timestamp(then + std::chrono::milliseconds{999}), "1614265330");
}

std::string secret_of(std::size_t triple_count) { return "whsec_" + std::string(triple_count * 4, 'A'); }

TEST(WebhookSignature, takes_keys_of_24_to_64_bytes) {
  EXPECT_TRUE(parse_signing_keys(secret_of(8)));
  EXPECT_TRUE(parse_signing_keys(secret_of(21)));
  EXPECT_FALSE(parse_signing_keys(secret_of(7)));
  EXPECT_FALSE(parse_signing_keys(secret_of(22)));
  EXPECT_EQ(parse_signing_keys(secret_of(8) + "AA==")->front().bytes, std::string(25, '\0'));
  EXPECT_EQ(parse_signing_keys(secret_of(8) + "AAA=")->front().bytes, std::string(26, '\0'));
}

TEST(WebhookSignature, refuses_other_secrets_without_showing_them) {
  const std::string long_secret(100'000, 'x');
  for (const std::string& text :
       {std::string{}, std::string{" "}, std::string{"hunter2-hunter2-hunter2-hunter2"}, std::string{"whsec_"},
        std::string{"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS"}, std::string{"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa-_"},
        std::string{"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2La=aSw"}, "whsec_" + long_secret,
        std::string{secret} + " hunter2"}) {
    const auto keys = parse_signing_keys(text);
    ASSERT_FALSE(keys) << text.substr(0, 50);
    EXPECT_EQ(keys.error().message, "a signing secret must be whsec_ and the base64 of 24 to 64 bytes");
  }
}

}  // namespace
}  // namespace carillon
