#include "executors/http/http_executor.hpp"
#include "support/http_attempts.hpp"
#include "support/temporary_folder.hpp"
#include "support/test_certificate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace carillon {
namespace {

using Outcome = AttemptOutcome;
using testing::HasSubstr;

void say_ok(SinkConnection& connection, const SinkRequest&) { connection.answer("200 OK"); }

class HttpsAttempts : public HttpAttempts {
 protected:
  /// Options that trust one certificate.
  HttpOptions trusting(const TestCertificate& certificate) {
    folder_.write("ca.pem", certificate.pem());
    HttpOptions trusting = options();
    trusting.certificate_authorities = (folder_.path() / "ca.pem").native();
    return trusting;
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(HttpsAttempts, succeed_with_a_certificate_that_is_trusted) {
  const TestCertificate certificate{{.host = "127.0.0.1"}};
  HttpSink sink{say_ok, "127.0.0.1", certificate.server()};
  start(trusting(certificate));

  const AttemptEnd end = performed(sink.url());

  EXPECT_EQ(end.outcome, Outcome::succeeded) << end.error;
}

TEST_F(HttpsAttempts, fail_with_a_certificate_that_nobody_vouches_for) {
  const TestCertificate certificate{{.host = "127.0.0.1"}};
  HttpSink sink{say_ok, "127.0.0.1", certificate.server()};

  const AttemptKey key = launch(sink.url());
  const AttemptEnd end = record_.await_end(key);

  EXPECT_EQ(end.outcome, Outcome::failed);
  EXPECT_THAT(end.error, HasSubstr("self-signed certificate"));
  EXPECT_EQ(record_.story(key).launched_count, 0);
  EXPECT_TRUE(sink.requests().empty());
}

TEST_F(HttpsAttempts, fail_with_the_certificate_of_another_host) {
  const TestCertificate certificate{{.host = "127.0.0.2"}};
  HttpSink sink{say_ok, "127.0.0.1", certificate.server()};
  start(trusting(certificate));

  EXPECT_THAT(performed(sink.url()).error, HasSubstr("127.0.0.1"));
  EXPECT_TRUE(sink.requests().empty());
}

TEST_F(HttpsAttempts, fail_with_a_certificate_that_has_expired) {
  const TestCertificate certificate{{.host = "127.0.0.1", .is_expired = true}};
  HttpSink sink{say_ok, "127.0.0.1", certificate.server()};
  start(trusting(certificate));

  EXPECT_THAT(performed(sink.url()).error, HasSubstr("expired"));
  EXPECT_TRUE(sink.requests().empty());
}

TEST_F(HttpsAttempts, fail_with_a_server_that_only_knows_old_tls) {
  const TestCertificate certificate{{.host = "127.0.0.1", .tls_version_max = TLS1_1_VERSION}};
  HttpSink sink{say_ok, "127.0.0.1", certificate.server()};
  start(trusting(certificate));

  EXPECT_EQ(performed(sink.url()).outcome, Outcome::failed);
  EXPECT_TRUE(sink.requests().empty());
}

TEST_F(HttpsAttempts, whose_connection_takes_until_it_is_too_late_are_not_launched) {
  TestCertificate certificate{{.host = "127.0.0.1"}};
  certificate.on_handshake([&] { clock_.set_boot(lease_end); });
  HttpSink sink{say_ok, "127.0.0.1", certificate.server()};
  start(trusting(certificate));

  const AttemptKey key = launch(sink.url());

  EXPECT_EQ(record_.await_end(key).outcome, Outcome::released);
  EXPECT_EQ(record_.story(key).launched_count, 0);
  EXPECT_TRUE(sink.requests().empty());
}

}  // namespace
}  // namespace carillon
