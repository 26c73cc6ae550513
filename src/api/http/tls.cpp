#include "api/http/tls.hpp"

#include "api/http/tls_files.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace carillon::http {
namespace {

using Context = std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)>;

int socket_of(BIO* bio) { return static_cast<int>(reinterpret_cast<std::intptr_t>(BIO_get_data(bio))); }

/// OpenSSL's own sockets raise SIGPIPE when the other side has gone, in a process that may be somebody else's.
int send_bytes(BIO* bio, const char* bytes, int count) {
  BIO_clear_retry_flags(bio);
  const auto sent = send(socket_of(bio), bytes, static_cast<std::size_t>(count), MSG_NOSIGNAL);
  if (sent < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_write(bio);
  return static_cast<int>(sent);
}

int receive_bytes(BIO* bio, char* bytes, int count) {
  BIO_clear_retry_flags(bio);
  const auto received = recv(socket_of(bio), bytes, static_cast<std::size_t>(count), 0);
  if (received < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_read(bio);
  if (received == 0) BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
  return static_cast<int>(received);
}

long control(BIO* bio, int command, long /*number*/, void* /*pointer*/) {
  if (command == BIO_CTRL_EOF) return BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0 ? 1 : 0;
  return command == BIO_CTRL_FLUSH ? 1 : 0;
}

const BIO_METHOD* socket_method() {
  static const auto method = [] {
    std::unique_ptr<BIO_METHOD, decltype(&BIO_meth_free)> made{
        BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "carillon socket"), BIO_meth_free};
    BIO_meth_set_write(made.get(), send_bytes);
    BIO_meth_set_read(made.get(), receive_bytes);
    BIO_meth_set_ctrl(made.get(), control);
    return made;
  }();
  return method.get();
}

class TlsChannel final : public Channel {
 public:
  TlsChannel(SSL_CTX* context, int socket, std::string_view protocol)
      : ssl_{SSL_new(context), SSL_free}, protocol_{static_cast<char>(protocol.size()) + std::string{protocol}} {
    BIO* bio = ssl_ ? BIO_new(socket_method()) : nullptr;
    if (bio == nullptr) return;
    BIO_set_data(bio, reinterpret_cast<void*>(static_cast<std::intptr_t>(socket)));
    BIO_set_init(bio, 1);
    SSL_set_bio(ssl_.get(), bio, bio);
    SSL_set_accept_state(ssl_.get());
    SSL_set_app_data(ssl_.get(), &protocol_);
    is_ready_ = true;
  }

  Progress shake_hands() override {
    if (!is_ready_) return {.state = Progress::State::failed};
    ERR_clear_error();
    return progress_of(SSL_do_handshake(ssl_.get()), 0);
  }

  Progress read(std::span<char> into) override {
    ERR_clear_error();
    std::size_t count = 0;
    const int result = SSL_read_ex(ssl_.get(), into.data(), into.size(), &count);
    const Progress progress = progress_of(result, count);
    may_hold_bytes_ = progress.state == Progress::State::done || progress.state == Progress::State::wants_write;
    return progress;
  }

  Progress write(std::span<const std::string_view> pieces) override {
    ERR_clear_error();
    std::size_t count = 0;
    const std::string_view piece = pieces.front();
    const int result = SSL_write_ex(ssl_.get(), piece.data(), piece.size(), &count);
    return progress_of(result, count);
  }

  [[nodiscard]] bool may_hold_bytes() const override { return may_hold_bytes_; }
  [[nodiscard]] std::string_view failure() const override { return failure_; }

  void say_goodbye() override {
    ERR_clear_error();
    if (is_ready_ && !has_failed_ && SSL_is_init_finished(ssl_.get()) == 1) SSL_shutdown(ssl_.get());
  }

 private:
  Progress progress_of(int result, std::size_t count) {
    if (result == 1) return {.count = count};
    switch (SSL_get_error(ssl_.get(), result)) {
      case SSL_ERROR_WANT_READ: return {.state = Progress::State::wants_read};
      case SSL_ERROR_WANT_WRITE: return {.state = Progress::State::wants_write};
      case SSL_ERROR_ZERO_RETURN: return {.state = Progress::State::ended};
      default: break;
    }
    has_failed_ = true;
    const char* reason = ERR_reason_error_string(ERR_peek_error());
    failure_ = reason == nullptr ? "the client has gone" : reason;
    return {.state = Progress::State::failed};
  }

  std::unique_ptr<SSL, decltype(&SSL_free)> ssl_;
  std::string protocol_;  // as ALPN writes a list of one
  bool is_ready_ = false;
  bool has_failed_ = false;
  std::string_view failure_;    // a literal of OpenSSL
  bool may_hold_bytes_ = true;  // the greeting may bring the first request along
};

int choose_protocol(SSL* ssl, const unsigned char** chosen, unsigned char* chosen_length, const unsigned char* offered,
                    unsigned offered_length, void* /*argument*/) {
  const auto& own = *static_cast<const std::string*>(SSL_get_app_data(ssl));
  unsigned char* found = nullptr;
  const int outcome = SSL_select_next_proto(&found, chosen_length, reinterpret_cast<const unsigned char*>(own.data()),
                                            static_cast<unsigned>(own.size()), offered, offered_length);
  *chosen = found;
  return outcome == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

void set_rules(SSL_CTX* context) {
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20");
  SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE |
                                   SSL_OP_PRIORITIZE_CHACHA | SSL_OP_IGNORE_UNEXPECTED_EOF);
  // Idle connections keep no buffers. What is offered again after a wait may lie elsewhere.
  SSL_CTX_set_mode(context,
                   SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_read_ahead(context, 1);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  static constexpr std::string_view name = "carillon";
  SSL_CTX_set_session_id_context(context, reinterpret_cast<const unsigned char*>(name.data()), name.size());
  SSL_CTX_set_alpn_select_cb(context, choose_protocol, nullptr);
}

class LoadedContext final : public TlsContext {
 public:
  explicit LoadedContext(Context context) : context_{std::move(context)} {}

  [[nodiscard]] std::unique_ptr<Channel> channel(int socket, std::string_view protocol) const override {
    return std::make_unique<TlsChannel>(context_.get(), socket, protocol);
  }

 private:
  Context context_;
};

}  // namespace

Result<std::shared_ptr<const TlsContext>> TlsContext::load(const TlsOptions& options) {
  Context context{SSL_CTX_new(TLS_server_method()), SSL_CTX_free};
  if (!context) return fail(ErrorCode::unavailable, "TLS cannot be set up");
  set_rules(context.get());
  TRY(use_certificate(context.get(), options.certificate_file));
  TRY(use_key(context.get(), options.key_file));
  if (!options.client_authorities_file.empty()) {
    TRY(require_client_certificates(context.get(), options.client_authorities_file, options.revocation_file));
  }
  return std::make_shared<LoadedContext>(std::move(context));
}

}  // namespace carillon::http
