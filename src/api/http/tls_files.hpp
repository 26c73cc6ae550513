#pragma once

#include "base/error.hpp"

#include <string>

/// Declared here as OpenSSL does, so that its headers stay in few files.
struct ssl_ctx_st;

namespace carillon::http {

/// These read PEM files into a context. Errors say what to do about the file.
[[nodiscard]] Result<void> use_certificate(ssl_ctx_st* context, const std::string& file);
/// After the certificate, to which it must belong.
[[nodiscard]] Result<void> use_key(ssl_ctx_st* context, const std::string& file);
[[nodiscard]] Result<void> require_client_certificates(ssl_ctx_st* context, const std::string& authorities_file,
                                                       const std::string& revocation_file);

}  // namespace carillon::http
