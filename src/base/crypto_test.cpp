#include "base/crypto.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace carillon {
namespace {

// The examples of FIPS 180-4, as NIST publishes them.
TEST(Crypto, computes_the_published_digests) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_hex(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  EXPECT_EQ(sha256("abc").size(), 32U);
}

// Test cases 1, 2, 3 and 6 of RFC 4231.
TEST(Crypto, computes_the_published_authentication_codes) {
  struct Case {
    std::string key;
    std::string text;
    std::string_view code;
  };
  const std::array cases{
      Case{std::string(20, '\x0b'), "Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
      Case{"Jefe", "what do ya want for nothing?", "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
      Case{std::string(20, '\xaa'), std::string(50, '\xdd'),
           "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"},
      Case{std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First",
           "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"},
  };

  for (const Case& one : cases) EXPECT_EQ(to_hex(hmac_sha256(one.key, one.text)), one.code) << one.text;
}

TEST(Crypto, writes_and_reads_every_byte_in_hex) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);

  const std::string digits = to_hex(all);

  EXPECT_TRUE(digits.starts_with("000102"));
  EXPECT_TRUE(digits.ends_with("fdfeff"));
  EXPECT_EQ(from_hex(digits), all);
  EXPECT_EQ(from_hex(""), "");
}

TEST(Crypto, reads_hex_in_upper_case_and_nothing_that_is_not_hex) {
  EXPECT_EQ(from_hex("4A4b"), "JK");
  for (const std::string_view wrong : {"0", "0g", "g0", "0G", " 0", "00 ", "0x"})
    EXPECT_EQ(from_hex(wrong), std::nullopt);
}

TEST(Crypto, compares_secrets) {
  EXPECT_TRUE(are_equal_secrets("secret", "secret"));
  EXPECT_TRUE(are_equal_secrets("", ""));
  EXPECT_FALSE(are_equal_secrets("secret", "Secret"));
  EXPECT_FALSE(are_equal_secrets("secret", "secreT"));
  EXPECT_FALSE(are_equal_secrets("secret", "secrets"));
}

TEST(Crypto, draws_bytes_that_do_not_repeat) {
  const std::string long_one = random_bytes(1'000);

  EXPECT_EQ(long_one.size(), 1'000U);
  EXPECT_NE(random_bytes(16), random_bytes(16));
  EXPECT_NE(random_number(), random_number());
  // The chance that forty bytes at the end are still zero is one in 2^320.
  EXPECT_NE(long_one.substr(960), std::string(40, '\0'));
}

TEST(Crypto, keyed_hash_is_SipHash_2_4) {
  const HashKey key{.first = 0x0706'0504'0302'0100, .second = 0x0f0e'0d0c'0b0a'0908};
  std::string bytes;
  for (char c = 0; c < 15; ++c) bytes += c;

  // The example of the paper, and the first of the vectors published with it.
  EXPECT_EQ(keyed_hash(key, bytes), 0xa129'ca61'49be'45e5U);
  EXPECT_EQ(keyed_hash(key, ""), 0x726f'db47'dd0e'0e31U);
}

}  // namespace
}  // namespace carillon
