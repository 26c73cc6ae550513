#include "api/http/tls_files.hpp"

#include "base/quoted.hpp"

#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <memory>
#include <system_error>
#include <utility>

namespace carillon::http {
namespace {

constexpr std::size_t key_file_size_max = 64 * 1024;

std::unexpected<Error> bad_file(std::string_view what, const std::string& file, std::string_view why,
                                std::string hint) {
  ERR_clear_error();
  auto error = fail(ErrorCode::invalid_argument, "{} {} {}", what, quoted(file), why);
  error.error().hint = std::move(hint);
  return error;
}

std::unexpected<Error> unreadable(std::string_view what, const std::string& file, int error_number) {
  return bad_file(what, file, fmt::format("cannot be read: {}", std::generic_category().message(error_number)), {});
}

class OpenFile {
 public:
  explicit OpenFile(const std::string& path) : descriptor_{open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)} {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  [[nodiscard]] int get() const { return descriptor_; }

 private:
  int descriptor_;
};

/// Bytes that are wiped when they are no longer needed.
struct SecretBytes {
  SecretBytes() = default;
  SecretBytes(const SecretBytes&) = delete;
  SecretBytes& operator=(const SecretBytes&) = delete;
  ~SecretBytes() { OPENSSL_cleanse(bytes.data(), bytes.size()); }

  std::array<char, key_file_size_max> bytes{};
  std::size_t size = 0;
};

/// A key that others can read is no secret. One that belongs to root may be readable to a group, which is how
/// distributions hand keys to services.
Result<void> check_permissions(const std::string& file, const struct stat& status) {
  if (!S_ISREG(status.st_mode)) return bad_file("the TLS key", file, "is not a regular file", {});
  const bool is_own = status.st_uid == geteuid();
  if (!is_own && status.st_uid != 0) {
    return bad_file("the TLS key", file, "belongs to another user", fmt::format("chown {} {}", geteuid(), file));
  }
  const mode_t allowed = is_own ? 0600 : 0640;
  const mode_t mode = status.st_mode & 0777;
  if ((mode & 0077 & ~allowed) != 0) {
    return bad_file("the TLS key", file, fmt::format("is open to others (mode {:04o})", mode),
                    fmt::format("chmod {:o} {}", allowed, file));
  }
  return {};
}

/// Looks at the file that is read, not at one that has its name a moment before or later.
Result<void> read_key_file(const std::string& file, SecretBytes& into) {
  const OpenFile open_file{file};
  struct stat status{};
  if (open_file.get() < 0 || fstat(open_file.get(), &status) != 0) return unreadable("the TLS key", file, errno);
  TRY(check_permissions(file, status));
  while (into.size < into.bytes.size()) {
    const ssize_t count = read(open_file.get(), into.bytes.data() + into.size, into.bytes.size() - into.size);
    if (count < 0) return unreadable("the TLS key", file, errno);
    if (count == 0) return {};
    into.size += static_cast<std::size_t>(count);
  }
  return bad_file("the TLS key", file, "is too large to be a key", {});
}

/// Nobody sits at a server's terminal to be asked.
int no_password(char* /*buffer*/, int /*size*/, int /*is_writing*/, void* /*argument*/) { return -1; }

}  // namespace

Result<void> use_certificate(SSL_CTX* context, const std::string& file) {
  if (access(file.c_str(), R_OK) != 0) return unreadable("the TLS certificate", file, errno);
  if (SSL_CTX_use_certificate_chain_file(context, file.c_str()) != 1) {
    return bad_file("the TLS certificate", file, "cannot be used",
                    "it must hold certificates in PEM form, the server's own first");
  }
  return {};
}

Result<void> use_key(SSL_CTX* context, const std::string& file) {
  SecretBytes text;
  TRY(read_key_file(file, text));
  const std::unique_ptr<BIO, decltype(&BIO_free)> memory{
      BIO_new_mem_buf(text.bytes.data(), static_cast<int>(text.size)), BIO_free};
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key{
      PEM_read_bio_PrivateKey(memory.get(), nullptr, no_password, nullptr), EVP_PKEY_free};
  if (!key)
    return bad_file("the TLS key", file, "cannot be used", "it must be a private key in PEM form, without password");
  if (SSL_CTX_use_PrivateKey(context, key.get()) != 1 || SSL_CTX_check_private_key(context) != 1) {
    return bad_file("the TLS key", file, "does not belong to the certificate", {});
  }
  return {};
}

Result<void> require_client_certificates(SSL_CTX* context, const std::string& authorities_file,
                                         const std::string& revocation_file) {
  STACK_OF(X509_NAME)* names = SSL_load_client_CA_file(authorities_file.c_str());
  if (names == nullptr || SSL_CTX_load_verify_file(context, authorities_file.c_str()) != 1) {
    return bad_file("the file of client authorities", authorities_file, "cannot be used",
                    "it must hold certificates in PEM form");
  }
  SSL_CTX_set_client_CA_list(context, names);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  if (revocation_file.empty()) return {};
  X509_STORE* store = SSL_CTX_get_cert_store(context);
  X509_LOOKUP* lookup = X509_STORE_add_lookup(store, X509_LOOKUP_file());
  if (lookup == nullptr || X509_load_crl_file(lookup, revocation_file.c_str(), X509_FILETYPE_PEM) < 1) {
    return bad_file("the revocation list", revocation_file, "cannot be used", "it must be a list in PEM form");
  }
  X509_STORE_set_flags(store, X509_V_FLAG_CRL_CHECK);
  return {};
}

}  // namespace carillon::http
