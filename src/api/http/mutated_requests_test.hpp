#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace carillon::http {

inline std::vector<std::string> valid_requests() {
  return {
      "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
      "GET /v1/schedules?limit=10&page=%20 HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nAccept: */*\r\nUser-Agent: x/1\r\n\r\n",
      "HEAD /a HTTP/1.1\r\nHost: [::1]:80\r\nConnection: keep-alive\r\n\r\n",
      "POST /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 11\r\n\r\nhello world",
      "PUT /a HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n",
      "PATCH /a HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n{}",
      "POST /b HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\nContent-Length: 3\r\n\r\nabc",
      "OPTIONS * HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\n\r\n",
  };
}

/// One to three valid requests behind each other, changed in a few places: bytes set, left out, put in, doubled, and
/// the words that matter to a parser put where they do not belong.
template <typename Random>
std::string mutated_requests(Random& random) {
  static constexpr std::array<std::string_view, 18> words{"\r\n",
                                                          "\n",
                                                          "\r",
                                                          " ",
                                                          "\t",
                                                          ":",
                                                          "\r\n\r\n",
                                                          "Content-Length: 3\r\n",
                                                          "Transfer-Encoding: chunked\r\n",
                                                          "chunked,",
                                                          "0\r\n",
                                                          "\r\n ",
                                                          ";",
                                                          "%",
                                                          ",",
                                                          "\x7f",
                                                          "HTTP/1.1",
                                                          "Host: b\r\n"};
  const auto below = [&](std::size_t end) { return std::uniform_int_distribution<std::size_t>{0, end - 1}(random); };
  const auto requests = valid_requests();
  std::string bytes;
  const std::size_t request_count = 1 + below(3);
  for (std::size_t i = 0; i < request_count; ++i) bytes += requests[below(requests.size())];
  const std::size_t change_count = below(4);
  for (std::size_t i = 0; i < change_count; ++i) {
    const std::size_t at = below(bytes.size());
    const std::size_t length = std::min(bytes.size() - at, 1 + below(8));
    switch (below(5)) {
      case 0: bytes[at] = static_cast<char>(below(256)); break;
      case 1: bytes.erase(at, std::min(length, bytes.size() - 1)); break;
      case 2: bytes.insert(at, words[below(words.size())]); break;
      case 3: bytes.insert(at, bytes.substr(at, length)); break;
      default: bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(7))); break;
    }
  }
  return bytes;
}

}  // namespace carillon::http
