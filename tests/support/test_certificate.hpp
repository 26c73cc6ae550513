#pragma once

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace carillon {

/// A certificate of its own making for one address, and a server that shows it.
class TestCertificate {
 public:
  struct Kind {
    std::string host;
    bool is_expired = false;
    int tls_version_max = 0;  // 0: any
  };

  explicit TestCertificate(const Kind& kind) {
    key_.reset(EVP_EC_gen("P-256"));
    certificate_.reset(X509_new());
    const long day = 24 * 60 * 60;
    X509_set_version(certificate_.get(), 2);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate_.get()), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate_.get()), -10 * day);
    X509_gmtime_adj(X509_getm_notAfter(certificate_.get()), kind.is_expired ? -5 * day : day);
    X509_set_pubkey(certificate_.get(), key_.get());
    X509_NAME* name = X509_get_subject_name(certificate_.get());
    const std::string common_name = "carillon test";
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>(common_name.data()),
                               static_cast<int>(common_name.size()), -1, 0);
    X509_set_issuer_name(certificate_.get(), name);
    extend(NID_subject_alt_name, "IP:" + kind.host);
    extend(NID_basic_constraints, "critical,CA:TRUE");
    if (X509_sign(certificate_.get(), key_.get(), EVP_sha256()) == 0) throw std::runtime_error{"cannot sign"};
    set_up_server(kind);
  }
  TestCertificate(const TestCertificate&) = delete;
  TestCertificate& operator=(const TestCertificate&) = delete;

  [[nodiscard]] SSL_CTX* server() const { return server_.get(); }

  [[nodiscard]] std::string pem() const {
    const std::unique_ptr<BIO, decltype(&BIO_free)> memory{BIO_new(BIO_s_mem()), BIO_free};
    PEM_write_bio_X509(memory.get(), certificate_.get());
    char* bytes = nullptr;
    const long length = BIO_get_mem_data(memory.get(), &bytes);
    return {bytes, static_cast<std::size_t>(length)};
  }

  /// Called on the server's side before it answers the greeting of a client.
  void on_handshake(std::function<void()> what) {
    on_handshake_ = std::move(what);
    SSL_CTX_set_client_hello_cb(
        server_.get(),
        [](SSL*, int*, void* self) {
          static_cast<TestCertificate*>(self)->on_handshake_();
          return SSL_CLIENT_HELLO_SUCCESS;
        },
        this);
  }

 private:
  void extend(int kind, const std::string& value) {
    const std::unique_ptr<X509_EXTENSION, decltype(&X509_EXTENSION_free)> extension{
        X509V3_EXT_conf_nid(nullptr, nullptr, kind, value.c_str()), X509_EXTENSION_free};
    X509_add_ext(certificate_.get(), extension.get(), -1);
  }

  void set_up_server(const Kind& kind) {
    server_.reset(SSL_CTX_new(TLS_server_method()));
    SSL_CTX_use_certificate(server_.get(), certificate_.get());
    SSL_CTX_use_PrivateKey(server_.get(), key_.get());
    if (kind.tls_version_max == 0) return;
    SSL_CTX_set_security_level(server_.get(), 0);
    SSL_CTX_set_min_proto_version(server_.get(), TLS1_VERSION);
    SSL_CTX_set_max_proto_version(server_.get(), kind.tls_version_max);
  }

  std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key_{nullptr, EVP_PKEY_free};
  std::unique_ptr<X509, decltype(&X509_free)> certificate_{nullptr, X509_free};
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> server_{nullptr, SSL_CTX_free};
  std::function<void()> on_handshake_;
};

}  // namespace carillon
