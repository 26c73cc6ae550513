#pragma once

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <memory>
#include <stdexcept>
#include <string>

namespace carillon::http {

template <typename Type, void (*free)(Type*)>
struct LibraryDeleter {
  void operator()(Type* pointer) const { free(pointer); }
};
using Key = std::unique_ptr<EVP_PKEY, LibraryDeleter<EVP_PKEY, EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, LibraryDeleter<X509, X509_free>>;
using Memory = std::unique_ptr<BIO, LibraryDeleter<BIO, BIO_free_all>>;

/// A certificate and its key, as files hold them.
struct Identity {
  std::string certificate;
  std::string key;
  long serial = 0;
};

/// Signs certificates of its own making.
class TestAuthority {
 public:
  enum class Kind { valid, expired };

  explicit TestAuthority(const std::string& name) : key_{EVP_EC_gen("P-256")} {
    certificate_ = made(name, key_.get(), Kind::valid);
    extend(certificate_.get(), NID_basic_constraints, "critical,CA:TRUE");
    sign(certificate_.get());
  }

  [[nodiscard]] std::string pem() const { return pem_of(certificate_.get()); }

  [[nodiscard]] Identity issue(const std::string& name, Kind kind = Kind::valid) {
    const Key key{EVP_EC_gen("P-256")};
    const Certificate certificate = made(name, key.get(), kind);
    extend(certificate.get(), NID_subject_alt_name, "IP:127.0.0.1");
    sign(certificate.get());
    const Memory memory{BIO_new(BIO_s_mem())};
    PEM_write_bio_PrivateKey(memory.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    return {.certificate = pem_of(certificate.get()), .key = text_of(memory.get()), .serial = serial_};
  }

  /// A list of one revoked certificate.
  [[nodiscard]] std::string revocation_list(const Identity& revoked) const {
    const std::unique_ptr<X509_CRL, LibraryDeleter<X509_CRL, X509_CRL_free>> list{X509_CRL_new()};
    const std::unique_ptr<ASN1_TIME, LibraryDeleter<ASN1_TIME, ASN1_TIME_free>> before{X509_gmtime_adj(nullptr, -day)};
    const std::unique_ptr<ASN1_TIME, LibraryDeleter<ASN1_TIME, ASN1_TIME_free>> after{X509_gmtime_adj(nullptr, day)};
    X509_CRL_set_version(list.get(), 1);
    X509_CRL_set_issuer_name(list.get(), X509_get_subject_name(certificate_.get()));
    X509_CRL_set1_lastUpdate(list.get(), before.get());
    X509_CRL_set1_nextUpdate(list.get(), after.get());
    X509_REVOKED* entry = X509_REVOKED_new();
    const std::unique_ptr<ASN1_INTEGER, LibraryDeleter<ASN1_INTEGER, ASN1_INTEGER_free>> number{ASN1_INTEGER_new()};
    ASN1_INTEGER_set(number.get(), revoked.serial);
    X509_REVOKED_set_serialNumber(entry, number.get());
    X509_REVOKED_set_revocationDate(entry, before.get());
    X509_CRL_add0_revoked(list.get(), entry);
    X509_CRL_sort(list.get());
    X509_CRL_sign(list.get(), key_.get(), EVP_sha256());
    const Memory memory{BIO_new(BIO_s_mem())};
    PEM_write_bio_X509_CRL(memory.get(), list.get());
    return text_of(memory.get());
  }

 private:
  static constexpr long day = 24 * 60 * 60;

  Certificate made(const std::string& name, EVP_PKEY* key, Kind kind) {
    Certificate out{X509_new()};
    X509_set_version(out.get(), 2);
    ASN1_INTEGER_set(X509_get_serialNumber(out.get()), ++serial_);
    X509_gmtime_adj(X509_getm_notBefore(out.get()), -10 * day);
    X509_gmtime_adj(X509_getm_notAfter(out.get()), kind == Kind::expired ? -5 * day : day);
    X509_set_pubkey(out.get(), key);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(out.get()), "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>(name.data()), static_cast<int>(name.size()), -1,
                               0);
    return out;
  }
  void sign(X509* certificate) const {
    X509_set_issuer_name(certificate, X509_get_subject_name(certificate_ ? certificate_.get() : certificate));
    if (X509_sign(certificate, key_.get(), EVP_sha256()) == 0) throw std::runtime_error{"cannot sign"};
  }
  static void extend(X509* certificate, int kind, const std::string& value) {
    const std::unique_ptr<X509_EXTENSION, LibraryDeleter<X509_EXTENSION, X509_EXTENSION_free>> extension{
        X509V3_EXT_conf_nid(nullptr, nullptr, kind, value.c_str())};
    X509_add_ext(certificate, extension.get(), -1);
  }
  static std::string pem_of(X509* certificate) {
    const Memory memory{BIO_new(BIO_s_mem())};
    PEM_write_bio_X509(memory.get(), certificate);
    return text_of(memory.get());
  }
  static std::string text_of(BIO* memory) {
    char* bytes = nullptr;
    const long length = BIO_get_mem_data(memory, &bytes);
    return {bytes, static_cast<std::size_t>(length)};
  }

  long serial_ = 0;
  Key key_;
  Certificate certificate_;
};

}  // namespace carillon::http
