#include "api/http/http_server_test.hpp"
#include "api/http/test_authority_test.hpp"
#include "support/temporary_folder.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/stat.h>

#include <filesystem>
#include <functional>
#include <optional>

namespace carillon::http {
namespace {

using ::testing::HasSubstr;

/// The files of a server with TLS.
struct Files {
  Files() { put("server", authority.issue("server")); }

  void put(const std::string& name, const Identity& identity) {
    folder.write(name + ".crt", identity.certificate);
    put_private(name + ".key", identity.key);
  }
  void put_private(const std::string& name, const std::string& bytes) const {
    folder.write(name, bytes);
    chmod(path(name).c_str(), 0600);
  }
  [[nodiscard]] std::string path(const std::string& name) const { return folder.path() / name; }
  [[nodiscard]] ServerOptions options() const {
    ServerOptions options;
    options.listen = {{.is_tls = true}};
    options.tls = {.certificate_file = path("server.crt"), .key_file = path("server.key")};
    return options;
  }

  TestAuthority authority{"authority"};
  TemporaryFolder folder;
};

/// A client that trusts one authority and speaks TLS.
class TlsClient {
 public:
  using SetUp = std::function<void(SSL_CTX*)>;

  TlsClient(std::uint16_t port, const TestAuthority& trusted, const SetUp& set_up = [](SSL_CTX*) {}) : plain_{port} {
    trust(trusted.pem());
    set_up(context_.get());
    ssl_.reset(SSL_new(context_.get()));
    SSL_set_fd(ssl_.get(), plain_.socket());
    is_connected_ = SSL_connect(ssl_.get()) == 1;
  }
  TlsClient(const TlsClient&) = delete;
  TlsClient& operator=(const TlsClient&) = delete;
  ~TlsClient() { ERR_clear_error(); }

  [[nodiscard]] bool is_connected() const { return is_connected_; }
  void send(const std::string& bytes) { SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size())); }

  /// At least one byte, and all that belongs to it; empty when the connection has ended.
  std::string receive() {
    std::string bytes(100'000, '\0');
    const int count = SSL_read(ssl_.get(), bytes.data(), static_cast<int>(bytes.size()));
    bytes.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    return bytes;
  }
  std::string receive_until(std::string_view mark) {
    std::string all;
    while (!all.contains(mark)) {
      const std::string more = receive();
      if (more.empty()) throw std::runtime_error{"the connection ended"};
      all += more;
    }
    return all;
  }
  [[nodiscard]] std::string protocol() const {
    const unsigned char* name = nullptr;
    unsigned length = 0;
    SSL_get0_alpn_selected(ssl_.get(), &name, &length);
    return {reinterpret_cast<const char*>(name), length};
  }
  [[nodiscard]] long server_serial() const {
    return ASN1_INTEGER_get(X509_get0_serialNumber(SSL_get0_peer_certificate(ssl_.get())));
  }
  [[nodiscard]] std::string version() const { return SSL_get_version(ssl_.get()); }

 private:
  void trust(const std::string& pem) {
    const Memory memory{BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()))};
    const Certificate authority{PEM_read_bio_X509(memory.get(), nullptr, nullptr, nullptr)};
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context_.get()), authority.get());
    SSL_CTX_set_verify(context_.get(), SSL_VERIFY_PEER, nullptr);
  }

  RawClient plain_;
  std::unique_ptr<SSL_CTX, LibraryDeleter<SSL_CTX, SSL_CTX_free>> context_{SSL_CTX_new(TLS_client_method())};
  std::unique_ptr<SSL, LibraryDeleter<SSL, SSL_free>> ssl_;
  bool is_connected_ = false;
};

TlsClient::SetUp showing(const Identity& identity) {
  return [identity](SSL_CTX* context) {
    const Memory certificate{
        BIO_new_mem_buf(identity.certificate.data(), static_cast<int>(identity.certificate.size()))};
    const Memory key{BIO_new_mem_buf(identity.key.data(), static_cast<int>(identity.key.size()))};
    SSL_CTX_use_certificate(context,
                            Certificate{PEM_read_bio_X509(certificate.get(), nullptr, nullptr, nullptr)}.get());
    SSL_CTX_use_PrivateKey(context, Key{PEM_read_bio_PrivateKey(key.get(), nullptr, nullptr, nullptr)}.get());
  };
}

TEST(HttpServerTls, answers_over_tls) {
  const Files files;
  Mailbox<bool> is_tls;
  TestServer server{[&](Request request, Responder responder) {
                      is_tls.put(request.is_tls);
                      echo(std::move(request), std::move(responder));
                    },
                    files.options()};
  TlsClient client{server->port(), files.authority};
  ASSERT_TRUE(client.is_connected());

  client.send(get("/1"));
  EXPECT_THAT(client.receive_until("/1 "), HasSubstr("HTTP/1.1 200 OK"));
  client.send("POST /2 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n");
  client.send("hello");
  EXPECT_THAT(client.receive_until("/2 hello"), HasSubstr("HTTP/1.1 200 OK"));
  EXPECT_TRUE(is_tls.take());
}

TEST(HttpServerTls, carries_large_bodies_both_ways) {
  const Files files;
  TestServer server{
      [](Request request, Responder responder) { responder.send({.body = std::move(request.body) + "end"}); },
      files.options()};
  TlsClient client{server->port(), files.authority};

  client.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n" + std::string(1'000'000, 'x'));

  EXPECT_GT(client.receive_until("xend").size(), 1'000'000);
}

TEST(HttpServerTls, answers_requests_that_come_together) {
  const Files files;
  TestServer server{echo, files.options()};
  TlsClient client{server->port(), files.authority};

  client.send(get("/1") + get("/2") + get("/3"));

  EXPECT_THAT(client.receive_until("/3 "), ::testing::ContainsRegex("/1 (.|\n)*/2 (.|\n)*/3 "));
}

TEST(HttpServerTls, carries_streams) {
  const Files files;
  Mailbox<ResponseStream> streams;
  Mailbox<bool> closed;
  TestServer server{[&](const Request&, Responder responder) { streams.put(responder.start_stream(200, {})); },
                    files.options()};
  std::optional<TlsClient> client;
  client.emplace(server->port(), files.authority);
  client->send(get("/"));
  const ResponseStream stream = streams.take();
  stream.on_closed([&] { closed.put(true); });

  stream.write("one");
  client->receive_until("3\r\none\r\n");
  stream.write("two");
  client->receive_until("3\r\ntwo\r\n");
  client.reset();

  EXPECT_TRUE(closed.take());
}

TEST(HttpServerTls, ends_with_a_word_so_that_an_answer_cannot_be_cut_unnoticed) {
  const Files files;
  TestServer server{echo, files.options()};
  TlsClient client{server->port(), files.authority,
                   [](SSL_CTX* context) { SSL_CTX_clear_options(context, SSL_OP_IGNORE_UNEXPECTED_EOF); }};

  client.send(get("/", "Connection: close\r\n"));
  client.receive_until("/ ");

  ERR_clear_error();
  EXPECT_EQ(client.receive(), "");
  EXPECT_EQ(ERR_peek_error(), 0) << "the connection was cut, not closed";
}

TEST(HttpServerTls, speaks_1_2_and_1_3_and_nothing_older) {
  const Files files;
  TestServer server{echo, files.options()};
  const auto version_with = [&](int version) {
    const TlsClient client{server->port(), files.authority, [&](SSL_CTX* context) {
                             SSL_CTX_set_security_level(context, 0);
                             SSL_CTX_set_min_proto_version(context, version);
                             SSL_CTX_set_max_proto_version(context, version);
                           }};
    return client.is_connected() ? client.version() : "refused";
  };

  EXPECT_EQ(version_with(TLS1_3_VERSION), "TLSv1.3");
  EXPECT_EQ(version_with(TLS1_2_VERSION), "TLSv1.2");
  EXPECT_EQ(version_with(TLS1_1_VERSION), "refused");
  EXPECT_EQ(version_with(TLS1_VERSION), "refused");
}

TEST(HttpServerTls, refuses_weak_ciphers) {
  const Files files;
  TestServer server{echo, files.options()};

  for (const char* ciphers : {"AES128-SHA", "ECDHE-ECDSA-AES128-SHA", "NULL-SHA256", "aNULL"}) {
    const TlsClient client{server->port(), files.authority, [&](SSL_CTX* context) {
                             SSL_CTX_set_security_level(context, 0);
                             SSL_CTX_set_max_proto_version(context, TLS1_2_VERSION);
                             SSL_CTX_set_cipher_list(context, ciphers);
                           }};
    EXPECT_FALSE(client.is_connected()) << ciphers;
  }
}

TEST(HttpServerTls, agrees_on_http_1_1_and_on_nothing_else) {
  const Files files;
  TestServer server{echo, files.options()};
  const auto offering = [](std::string_view protocols) {
    return [protocols](SSL_CTX* context) {
      SSL_CTX_set_alpn_protos(context, reinterpret_cast<const unsigned char*>(protocols.data()),
                              static_cast<unsigned>(protocols.size()));
    };
  };

  const TlsClient both{server->port(), files.authority, offering("\x02h2\x08http/1.1")};
  const TlsClient other{server->port(), files.authority, offering("\x02h2")};

  EXPECT_EQ(both.protocol(), "http/1.1");
  EXPECT_FALSE(other.is_connected());
}

TEST(HttpServerTls, gives_up_on_a_greeting_that_does_not_come) {
  const Files files;
  ServerOptions options = files.options();
  options.limits.header_timeout = std::chrono::milliseconds{50};
  TestServer server{echo, std::move(options)};
  RawClient client = server.connect();

  EXPECT_TRUE(client.is_closed());
}

TEST(HttpServerTls, survives_noise_and_plain_requests) {
  const Files files;
  TestServer server{echo, files.options()};
  for (const std::string& bytes : {get("/"), std::string(1000, '\0'), std::string{"\x16\x03\x01\x00\x05hello"}}) {
    RawClient client = server.connect();
    client.send(bytes);
    client.send_no_more();
    EXPECT_FALSE(client.receive_all().contains("HTTP/"));
  }

  TlsClient client{server->port(), files.authority};
  client.send(get("/"));
  EXPECT_THAT(client.receive_until("/ "), HasSubstr("200 OK"));
  EXPECT_EQ(server.log().problem_count(), 0);
}

TEST(HttpServerTls, shows_a_new_certificate_without_dropping_connections) {
  Files files;
  TestServer server{echo, files.options()};
  TlsClient before{server->port(), files.authority};
  const Identity renewed = files.authority.issue("server");
  files.put("server", renewed);

  ASSERT_TRUE(server->reload_certificates());

  const TlsClient after{server->port(), files.authority};
  EXPECT_NE(before.server_serial(), renewed.serial);
  EXPECT_EQ(after.server_serial(), renewed.serial);
  before.send(get("/"));
  EXPECT_THAT(before.receive_until("/ "), HasSubstr("200 OK"));
}

TEST(HttpServerTls, keeps_its_certificate_when_the_new_one_is_no_good) {
  const Files files;
  TestServer server{echo, files.options()};
  files.folder.write("server.crt", "not a certificate");

  EXPECT_FALSE(server->reload_certificates());

  EXPECT_TRUE((TlsClient{server->port(), files.authority}.is_connected()));
}

TEST(HttpServerTls, says_what_to_do_about_files_it_cannot_use) {
  Files files;
  ListedLog log;
  const auto error_of = [&](const ServerOptions& options) {
    const auto server = Server::open(options, echo, log);
    return server ? Error{} : server.error();
  };
  const auto with = [&](const std::string& certificate, const std::string& key) {
    ServerOptions options = files.options();
    options.tls = {.certificate_file = files.path(certificate), .key_file = files.path(key)};
    return options;
  };
  files.put("other", files.authority.issue("other"));
  files.put_private("nonsense", "nonsense");
  files.put_private("loose.key", files.authority.issue("loose").key);
  chmod(files.path("loose.key").c_str(), 0644);

  EXPECT_THAT(error_of(with("absent", "server.key")).message, HasSubstr("cannot be read"));
  EXPECT_THAT(error_of(with("nonsense", "server.key")).hint, HasSubstr("PEM"));
  EXPECT_THAT(error_of(with("server.crt", "absent")).message, HasSubstr("cannot be read"));
  EXPECT_THAT(error_of(with("server.crt", "nonsense")).hint, HasSubstr("PEM"));
  EXPECT_THAT(error_of(with("server.crt", "other.key")).message, HasSubstr("does not belong to the certificate"));
  EXPECT_THAT(error_of(with("server.crt", "")).message, HasSubstr("is not a regular file"));
  const Error loose = error_of(with("server.crt", "loose.key"));
  EXPECT_THAT(loose.message, HasSubstr("is open to others (mode 0644)"));
  EXPECT_EQ(loose.hint, "chmod 600 " + files.path("loose.key"));
  ServerOptions without = files.options();
  without.tls.reset();
  EXPECT_THAT(error_of(without).message, HasSubstr("certificate"));
}

TEST(HttpServerTls, serves_only_clients_that_its_authorities_have_signed) {
  Files files;
  TestAuthority stranger{"stranger"};
  TestAuthority clients{"clients"};
  const Identity good = clients.issue("good");
  const Identity revoked = clients.issue("revoked");
  files.folder.write("clients.crt", clients.pem());
  files.folder.write("clients.crl", clients.revocation_list(revoked));
  ServerOptions options = files.options();
  options.tls->client_authorities_file = files.path("clients.crt");
  options.tls->revocation_file = files.path("clients.crl");
  TestServer server{echo, std::move(options)};
  // With TLS 1.3 the client is done before the server has judged it: only an answer counts.
  const auto is_served = [&](const TlsClient::SetUp& set_up) {
    TlsClient client{server->port(), files.authority, set_up};
    client.send(get("/"));
    return client.receive().contains("200 OK");
  };

  EXPECT_TRUE(is_served(showing(good)));
  EXPECT_FALSE(is_served([](SSL_CTX*) {}));
  EXPECT_FALSE(is_served(showing(stranger.issue("good"))));
  EXPECT_FALSE(is_served(showing(clients.issue("late", TestAuthority::Kind::expired))));
  EXPECT_FALSE(is_served(showing(revoked)));
}

}  // namespace
}  // namespace carillon::http
