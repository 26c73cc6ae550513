#pragma once

#include "api/http/message.hpp"
#include "api/http/responder.hpp"
#include "base/error.hpp"
#include "base/instant.hpp"
#include "base/loop_monitor.hpp"
#include "ports/log.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The names of this module stand in a namespace of their own, as outgoing HTTP has requests and options too.
namespace carillon::http {

class Protocol;

struct ListenAddress {
  std::string host = "127.0.0.1";  // an IP address, not a name
  std::uint16_t port = 0;          // 0: any that is free
  bool is_tls = false;             // needs ServerOptions::tls
  Protocol* protocol = nullptr;    // spoken there in place of HTTP/1.1; outlives the server
  bool is_optional = false;        // if another program listens there, the server goes without, and warns
};

struct TlsOptions {
  std::string certificate_file{};         // PEM, the server's own first, then those between it and the root
  std::string key_file{};                 // PEM; open to nobody but this user, or root and a group
  std::string client_authorities_file{};  // PEM; if given, clients must show a certificate signed by one of these
  std::string revocation_file{};          // PEM; revocation lists of these authorities
};

/// What one client may ask of the server. What lies beyond is refused and the connection closed.
struct Limits {
  std::size_t body_size_max = 1024 * 1024;
  std::size_t body_size_total_max = 128 * 1024 * 1024;  // of all bodies that are being received; beyond: 503
  std::size_t unadmitted_body_size_max = 16 * 1024;     // so much is taken before ServerOptions::admit is asked
  std::size_t header_size_max = 16 * 1024;              // request line and headers
  std::size_t header_count_max = 100;
  Duration header_timeout = std::chrono::seconds{10};  // from the first byte, or the TLS greeting, to the last header
  Duration body_timeout = std::chrono::seconds{30};    // from there to the end of the body
  Duration idle_timeout = std::chrono::seconds{60};    // between requests
  Duration write_timeout = std::chrono::seconds{30};   // without the client taking a single byte of an answer
  Duration linger_timeout = std::chrono::seconds{2};   // to read a refusal, before the connection is cut
  std::size_t connection_count_max = 10'000;           // beyond: the longest idle makes room, or the new one gets 503
  // Beyond: 429. An IPv6 client is its /64. Loopback is exempt, as a proxy there speaks for everybody.
  std::size_t connection_count_per_address_max = 1'000;
  std::size_t stream_count_max = 5'000;  // beyond: 503
  std::size_t stream_count_per_address_max = 100;
  std::size_t stream_buffer_size_max = 256 * 1024;  // written to a stream and not yet taken by its client
};

/// None: the rest of the body may come. A response: it is sent, and the connection ends with it. To be called once.
using Verdict = std::function<void(std::optional<Response>)>;

struct ServerOptions {
  std::vector<ListenAddress> listen{ListenAddress{}};
  std::optional<TlsOptions> tls{};
  std::size_t thread_count = 2;
  Limits limits{};
  /// Host names this server answers for, without port; `*` is any. Others are refused with 421, so that a name in
  /// somebody else's DNS cannot be led here (DNS rebinding); IP addresses and `localhost` are no such names, and always
  /// accepted. Foreign origins are the handler's to refuse.
  std::vector<std::string> allowed_hosts{};
  /// Asked when a request's head has come and its body is larger than Limits::unadmitted_body_size_max: only those who
  /// are known may have us keep large bodies. The verdict may be given at once or later, from any thread; the call must
  /// not wait. None: everything is admitted.
  std::function<void(const Request& so_far, Verdict verdict)> admit{};
  LoopMonitor* loops = nullptr;  // watches the threads
  /// The answer to a request that is refused before the handler sees it, or that the handler fails to answer. `detail`
  /// is one sentence without anything the client sent. Called on the server's threads. None: a problem+json body.
  std::function<Response(int status, std::string_view detail)> describe_refusal{};
};

/// Answers one request, at once or later. Called on the server's threads, which serve many clients: it must not wait.
/// An exception is logged and answered with 500.
using Handler = std::function<void(Request, Responder)>;

/// How busy the server is now, and what it has seen since it was opened.
struct ServerCounts {
  std::size_t connections = 0;
  std::size_t streams = 0;
  std::uint64_t requests = 0;         // handed to the handler
  std::uint64_t refusals = 0;         // answered by the server itself
  std::uint64_t dropped_streams = 0;  // their clients read too slowly
};

/// An HTTP/1.1 server. Requests on one connection are answered in their order, one after the other. It refuses what
/// two parsers might read differently, rather than guess.
class Server {
 public:
  /// Binds the addresses and reads the certificates; clients wait until start(). `log` outlives the server.
  [[nodiscard]] static Result<std::unique_ptr<Server>> open(ServerOptions options, Handler handler, Log& log);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  /// Stops without grace.
  ~Server();

  /// The port of an address, in the order of `ServerOptions::listen`; 0: it was optional, and taken.
  [[nodiscard]] std::uint16_t port(std::size_t index = 0) const;

  void start();
  /// Takes no more connections, closes idle ones, ends streams, answers the requests that are under way, and after
  /// `grace` cuts what is left. Returns when all is quiet; the handler is not called after that. Safe twice, and before
  /// start(). Not to be called by the handler.
  void stop(Duration grace);

  /// Reads certificate, key and authorities again, for connections made from now on; those that exist live on. After an
  /// error everything stays as it was.
  [[nodiscard]] Result<void> reload_certificates();

  [[nodiscard]] ServerCounts counts() const;

 private:
  class Parts;
  explicit Server(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace carillon::http
