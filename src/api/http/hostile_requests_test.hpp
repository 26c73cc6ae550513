#pragma once

#include <string>
#include <vector>

namespace carillon::http {

/// A request that two servers in a row might read differently, or that is simply wrong, and what it is answered.
struct HostileRequest {
  std::string name;
  std::string bytes;
  int status = 400;
};

inline std::string with_headers(const std::string& lines) {
  return "POST / HTTP/1.1\r\nHost: localhost\r\n" + lines + "\r\n";
}

inline std::string chunked(const std::string& body) { return with_headers("Transfer-Encoding: chunked\r\n") + body; }

inline std::string with_line(const std::string& line) { return line + "\r\nHost: localhost\r\n\r\n"; }

/// With the default limits.
inline std::vector<HostileRequest> hostile_requests() {
  const std::string nul(1, '\0');
  const std::string many(16 * 1024, 'a');
  std::string too_many_headers;
  for (int i = 0; i < 101; ++i) too_many_headers += "X-" + std::to_string(i) + ": y\r\n";

  return {
      // The length of the body, said in more than one way.
      {"length and chunked", with_headers("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n") + "0\r\n\r\n"},
      {"chunked and length", with_headers("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n") + "0\r\n\r\n"},
      {"two lengths", with_headers("Content-Length: 5\r\nContent-Length: 6\r\n") + "hello!"},
      {"the same length twice", with_headers("Content-Length: 5\r\nContent-Length: 5\r\n") + "hello"},
      {"a list of lengths", with_headers("Content-Length: 5, 5\r\n") + "hello"},
      {"an empty length", with_headers("Content-Length:\r\n")},
      {"a positive length", with_headers("Content-Length: +5\r\n") + "hello"},
      {"a negative length", with_headers("Content-Length: -5\r\n") + "hello"},
      {"a hexadecimal length", with_headers("Content-Length: 0x5\r\n") + "hello"},
      {"a length of two words", with_headers("Content-Length: 5 5\r\n") + "hello"},
      {"a length with a fraction", with_headers("Content-Length: 5.0\r\n") + "hello"},
      {"a length beyond all numbers", with_headers("Content-Length: 18446744073709551621\r\n") + "hello"},
      {"an unknown coding", with_headers("Transfer-Encoding: gzip\r\n"), 501},
      {"identity", with_headers("Transfer-Encoding: identity\r\n"), 501},
      {"a coding before chunked", with_headers("Transfer-Encoding: gzip, chunked\r\n") + "0\r\n\r\n", 501},
      {"a coding behind chunked", with_headers("Transfer-Encoding: chunked, gzip\r\n") + "0\r\n\r\n", 501},
      {"chunked twice in one header", with_headers("Transfer-Encoding: chunked, chunked\r\n") + "0\r\n\r\n", 501},
      {"almost chunked", with_headers("Transfer-Encoding: xchunked\r\n") + "0\r\n\r\n", 501},
      {"chunked in quotes", with_headers("Transfer-Encoding: \"chunked\"\r\n") + "0\r\n\r\n", 501},
      {"chunked with a parameter", with_headers("Transfer-Encoding: chunked;q=1\r\n") + "0\r\n\r\n", 501},
      {"no coding", with_headers("Transfer-Encoding:\r\n"), 501},
      {"chunked behind a vertical tab", with_headers("Transfer-Encoding: \x0b"
                                                     "chunked\r\n") +
                                            "0\r\n\r\n"},
      {"two codings", with_headers("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n") + "0\r\n\r\n"},
      {"chunked in HTTP/1.0", "POST / HTTP/1.0\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},

      // Lines.
      {"bare line feeds", "GET / HTTP/1.1\nHost: localhost\n\n"},
      {"a bare line feed behind a header", "GET / HTTP/1.1\r\nHost: localhost\nX: y\r\n\r\n"},
      {"a bare line feed at the end", "GET / HTTP/1.1\r\nHost: localhost\r\n\n"},
      {"a bare carriage return", "GET / HTTP/1.1\r\nHost: localhost\rX: y\r\n\r\n"},
      {"two carriage returns", "GET / HTTP/1.1\r\nHost: localhost\r\r\n\r\n"},
      {"a folded header", with_headers("X-A: b\r\n c\r\n")},
      {"a header folded with a tab", with_headers("X-A: b\r\n\tc\r\n")},
      {"a folded coding", with_headers("Transfer-Encoding:\r\n chunked\r\n") + "0\r\n\r\n"},
      {"a blank before the first header", "GET / HTTP/1.1\r\n Host: localhost\r\n\r\n"},
      {"an empty line before the request", "\r\nGET / HTTP/1.1\r\nHost: localhost\r\n\r\n"},
      {"nothing but an empty line", "\r\n\r\n"},

      // Headers.
      {"a blank before the colon", with_headers("Content-Length : 5\r\n") + "hello"},
      {"a tab before the colon", with_headers("Transfer-Encoding\t: chunked\r\n") + "0\r\n\r\n"},
      {"a header without a colon", with_headers("X-A\r\n")},
      {"a header without a name", with_headers(": b\r\n")},
      {"a name in two words", with_headers("X A: b\r\n")},
      {"NUL in a name", with_headers("X" + nul + "A: b\r\n")},
      {"NUL in a value", with_headers("X-A: b" + nul + "c\r\n")},
      {"escape in a value", with_headers("X-A: \x1b]0;b\r\n")},
      {"delete in a value", with_headers("X-A: \x7f\r\n")},
      {"a token with NUL", with_headers("Authorization: Bearer a" + nul + "\r\n")},
      {"a name beyond ASCII", with_headers("X-\xc3\xbc: b\r\n")},
      {"two tokens", with_headers("Authorization: Bearer a\r\nauthorization: Bearer b\r\n")},
      {"two origins", with_headers("Origin: http://a\r\nOrigin: http://b\r\n")},
      {"two types", with_headers("Content-Type: application/json\r\nContent-Type: text/plain\r\n")},
      {"two idempotency keys", with_headers("Idempotency-Key: a\r\nIdempotency-Key: b\r\n")},
      {"a connection that is no list", with_headers("Connection: @\r\n")},
      {"an unknown expectation", with_headers("Expect: the-unexpected\r\n"), 417},
      {"too many headers", with_headers(too_many_headers), 431},
      {"headers too large", with_headers("X-A: " + many + "\r\n"), 431},
      {"a token too large", with_headers("Authorization: Bearer " + many + many + "\r\n"), 431},

      // Whom it is for.
      {"no host", "GET / HTTP/1.1\r\n\r\n"},
      {"no host in HTTP/1.0", "GET / HTTP/1.0\r\n\r\n"},
      {"two hosts", "GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n"},
      {"an empty host", "GET / HTTP/1.1\r\nHost:\r\n\r\n"},
      {"a host with a path", "GET / HTTP/1.1\r\nHost: localhost/a\r\n\r\n"},
      {"a host with a user", "GET / HTTP/1.1\r\nHost: a@localhost\r\n\r\n"},
      {"a host in two words", "GET / HTTP/1.1\r\nHost: localhost evil\r\n\r\n"},
      {"a list of hosts", "GET / HTTP/1.1\r\nHost: localhost, evil\r\n\r\n"},
      {"a host with two ports", "GET / HTTP/1.1\r\nHost: localhost:1:2\r\n\r\n"},
      {"a host with a port that is none", "GET / HTTP/1.1\r\nHost: localhost:http\r\n\r\n"},
      {"a host in half a bracket", "GET / HTTP/1.1\r\nHost: [::1\r\n\r\n"},
      {"a host behind a bracket", "GET / HTTP/1.1\r\nHost: [::1]evil\r\n\r\n"},
      {"a foreign host", "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", 421},
      {"a foreign host with our address", "GET / HTTP/1.1\r\nHost: 127.0.0.1.nip.io:80\r\n\r\n", 421},

      // The request line.
      {"an absolute target", with_line("GET http://localhost/ HTTP/1.1")},
      {"a foreign absolute target", with_line("GET http://evil.example/ HTTP/1.1")},
      {"an authority", with_line("CONNECT localhost:80 HTTP/1.1")},
      {"an asterisk", with_line("GET * HTTP/1.1")},
      {"a target without slash", with_line("GET a HTTP/1.1")},
      {"a fragment", with_line("GET /a#b HTTP/1.1")},
      {"a target beyond ASCII", with_line("GET /\xc3\xbc HTTP/1.1")},
      {"NUL in the target", with_line("GET /a" + nul + "b HTTP/1.1")},
      {"a tab in the target", with_line("GET /a\tb HTTP/1.1")},
      {"a blank in the target", with_line("GET /a b HTTP/1.1")},
      {"two blanks before the target", with_line("GET  / HTTP/1.1")},
      {"two blanks behind the target", with_line("GET /  HTTP/1.1")},
      {"a tab for a blank", with_line("GET\t/ HTTP/1.1")},
      {"a blank before the method", with_line(" GET / HTTP/1.1")},
      {"no method", with_line("/ HTTP/1.1")},
      {"a method that is no word", with_line("G@T / HTTP/1.1")},
      {"no version", with_line("GET /")},
      {"a blank behind the version", with_line("GET / HTTP/1.1 ")},
      {"a word behind the version", with_line("GET / HTTP/1.1 x")},
      {"a version in lower case", with_line("GET / http/1.1")},
      {"a version with three digits", with_line("GET / HTTP/1.10")},
      {"a version that does not exist", with_line("GET / HTTP/1.2"), 505},
      {"HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
      {"HTTP/0.9", with_line("GET / HTTP/0.9"), 505},
      {"a greeting of TLS", std::string{"\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03", 11}},
      {"a target too long", with_line("GET /" + many + " HTTP/1.1"), 414},

      // Chunks.
      {"a chunk without length", chunked("\r\nhello\r\n0\r\n\r\n")},
      {"a chunk of unknown length", chunked("xyz\r\nhello\r\n0\r\n\r\n")},
      {"a chunk of negative length", chunked("-5\r\nhello\r\n0\r\n\r\n")},
      {"a chunk of positive length", chunked("+5\r\nhello\r\n0\r\n\r\n")},
      {"a chunk length with prefix", chunked("0x5\r\nhello\r\n0\r\n\r\n")},
      {"a chunk length before a blank", chunked("5 \r\nhello\r\n0\r\n\r\n")},
      {"a chunk length behind a blank", chunked(" 5\r\nhello\r\n0\r\n\r\n")},
      {"a chunk beyond all numbers", chunked("10000000000000005\r\nhello\r\n0\r\n\r\n")},
      {"a chunk with an extension", chunked("5;a=b\r\nhello\r\n0\r\n\r\n")},
      {"a last chunk with an extension", chunked("5\r\nhello\r\n0;a\r\n\r\n")},
      {"a line feed in an extension", chunked("5;\nxx\r\nhello\r\n0\r\n\r\n")},
      {"a chunk line ended by a line feed", chunked("5\nhello\r\n0\r\n\r\n")},
      {"a chunk line ended by a carriage return", chunked("5\rhello\r\n0\r\n\r\n")},
      {"a chunk longer than it says", chunked("5\r\nhello!\r\n0\r\n\r\n")},
      {"a chunk ended by a line feed", chunked("5\r\nhello\n0\r\n\r\n")},
      {"a chunk that is not ended", chunked("5\r\nhello0\r\n\r\n")},
      {"an endless chunk line", chunked(std::string(1000, '0') + "5\r\nhello\r\n0\r\n\r\n")},
      {"a header behind the chunks", chunked("5\r\nhello\r\n0\r\nX-A: b\r\n\r\n")},
      {"a length behind the chunks", chunked("5\r\nhello\r\n0\r\nContent-Length: 7\r\n\r\n")},
      {"a chunk too large", chunked("100001\r\nhello"), 413},
      {"a body too large", with_headers("Content-Length: 1048577\r\n") + "hello", 413},
      {"a body too large that waits", with_headers("Expect: 100-continue\r\nContent-Length: 1048577\r\n"), 413},
  };
}

}  // namespace carillon::http
