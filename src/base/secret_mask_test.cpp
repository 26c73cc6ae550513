#include "base/secret_mask.hpp"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

namespace carillon {
namespace {

TEST(SecretMask, hides_a_secret_wherever_it_stands) {
  const SecretMask mask{{"hunter2"}};

  EXPECT_EQ(mask.whole("hunter2 is hunter2"), "*** is ***");
  EXPECT_EQ(mask.whole("hunter"), "hunter");
  EXPECT_EQ(mask.whole(""), "");
}

TEST(SecretMask, hides_a_secret_that_comes_byte_by_byte) {
  SecretMask mask{{"hunter2", "swordfish"}};

  std::string shown;
  for (const char c : std::string{"a hunter2, a swordfish and a hunter"}) shown += mask.pass({&c, 1});
  shown += mask.rest();

  EXPECT_EQ(shown, "a ***, a *** and a hunter");
}

TEST(SecretMask, shows_at_once_what_cannot_become_a_secret) {
  SecretMask mask{{"hunter2"}};

  EXPECT_EQ(mask.pass("who hunts"), "who hunts");
  EXPECT_EQ(mask.pass("who hunt"), "who ");
  EXPECT_EQ(mask.pass("s"), "hunts");
  EXPECT_EQ(mask.rest(), "");
}

TEST(SecretMask, hides_the_whole_of_a_secret_that_begins_like_another) {
  SecretMask mask{{"abcd", "abcdefgh"}};

  EXPECT_EQ(mask.pass("abcd"), "");
  EXPECT_EQ(mask.pass("efgh"), "***");
  EXPECT_EQ(mask.pass("abcdef"), "");
  EXPECT_EQ(mask.rest(), "***ef");
}

TEST(SecretMask, leaves_very_short_secrets_alone) {
  const SecretMask mask{{"", "1", "abc"}};

  EXPECT_EQ(mask.whole("1 abc"), "1 abc");
}

TEST(SecretMask, hides_a_secret_in_other_spellings) {
  const SecretMask mask{{"pa$$ \"w0rd\"+/?"}};

  for (const std::string_view spelling : {
           "pa%24%24%20%22w0rd%22%2B%2F%3F",
           "pa%24%24%20%22w0rd%22%2b%2f%3f",
           R"(pa$$ \"w0rd\"+/?)",
       })
    EXPECT_EQ(mask.whole(spelling), "***");
}

TEST(SecretMask, hides_a_secret_in_base64_wherever_it_begins) {
  const SecretMask mask{{"s3cret>>value??"}};

  // Of "s3cret>>value??", "u:s3cret>>value??!" and "us:s3cret>>value??!"; then the same in the alphabet of URLs.
  EXPECT_EQ(mask.whole("czNjcmV0Pj52YWx1ZT8/"), "***");
  EXPECT_EQ(mask.whole("dTpzM2NyZXQ+PnZhbHVlPz8h"), "dTp***8h");
  EXPECT_EQ(mask.whole("dXM6czNjcmV0Pj52YWx1ZT8/IQ=="), "dXM6***IQ==");
  EXPECT_EQ(mask.whole("dTpzM2NyZXQ-PnZhbHVlPz8h"), "dTp***8h");
}

TEST(SecretMask, hides_every_line_of_a_secret_that_has_several) {
  const SecretMask mask{{"first line\r\nsecond line\n}\n"}};

  EXPECT_EQ(mask.whole("> second line\n> first line\n}"), "> ***\n> ***\n}");
}

RC_GTEST_PROP(SecretMask, hides_the_same_however_the_bytes_are_cut, ()) {
  const auto text = *rc::gen::container<std::string>(rc::gen::element('a', 'b'));
  const auto cut = *rc::gen::inRange<std::size_t>(0, text.size() + 1);
  SecretMask mask{{"abab", "aabba"}};

  std::string shown = mask.pass(text.substr(0, cut));
  shown += mask.pass(text.substr(cut));
  shown += mask.rest();

  RC_ASSERT(shown == mask.whole(text));
  RC_ASSERT(shown.find("abab") == std::string::npos);
}

}  // namespace
}  // namespace carillon
