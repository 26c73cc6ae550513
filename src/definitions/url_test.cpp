#include "definitions/url.hpp"

#include <gtest/gtest.h>

namespace carillon {
namespace {

TEST(Url, http_and_https_with_a_host_are_accepted) {
  for (const std::string_view url :
       {"https://example.com", "http://example.com/hook?x=1#top", "HTTPS://Example.COM:8443/a/b", "http://localhost:1",
        "http://10.0.0.1/x", "http://[2001:db8::1]:8080/x", "https://example.com/${secret:path}",
        "https://bücher.example/", "https://example.com?q=a@b"})
    EXPECT_FALSE(check_url(url)) << url;
}

TEST(Url, anything_else_is_refused_with_a_hint) {
  for (const std::string_view url : {"",
                                     "example.com",
                                     "ftp://example.com",
                                     "https:/example.com",
                                     "https://",
                                     "https:///path",
                                     "http://:80/",
                                     "http://host:0/",
                                     "http://host:65536/",
                                     "http://host:port/",
                                     "http://host:80:90/",
                                     "http://user:word@host/",
                                     "http://a b/",
                                     "http://host/a b",
                                     "http://host/\r\nX: y",
                                     "http://[::1",
                                     "http://[]/",
                                     "http://[::1]x/",
                                     "http://ho\\st/",
                                     "javascript:alert(1)"}) {
    const auto error = check_url(url);
    ASSERT_TRUE(error) << url;
    EXPECT_EQ(error->rule, "invalid-url");
    EXPECT_FALSE(error->hint.empty());
  }
}

}  // namespace
}  // namespace carillon
