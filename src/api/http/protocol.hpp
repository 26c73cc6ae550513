#pragma once

#include "api/http/connection_counter.hpp"
#include "api/http/deadlines.hpp"
#include "api/http/peer_address.hpp"

#include <list>
#include <memory>
#include <string_view>

namespace carillon::http {

class Loop;
class Protocol;

/// A connected socket and who is at its other end.
struct Client {
  int socket;
  PeerAddress peer;
  bool is_tls;
  Protocol* protocol;        // null: HTTP/1.1
  bool is_admitted = false;  // counted by the connections
};

/// One client of a loop, in whatever protocol. Everything happens on the thread of its loop.
class ClientConnection : public Expiring {
 public:
  using Place = std::list<std::shared_ptr<ClientConnection>>::iterator;

  /// The socket is the connection's from here on; `place` is where the loop keeps it.
  virtual void start(Place place) = 0;
  /// Tells the client that there are too many.
  virtual void refuse_admission(ConnectionCounter::Verdict verdict) = 0;
  /// The server stops: closes if nothing is under way, and else when the answers have been given.
  virtual void stop() = 0;
  /// Closes whatever is under way.
  virtual void cut() = 0;
};

/// What is spoken at an address in place of HTTP/1.1. Outlives the server; called on its threads.
class Protocol {
 public:
  virtual ~Protocol() = default;

  /// Its name in ALPN; TLS is refused to those who do not offer it.
  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual std::shared_ptr<ClientConnection> connect(std::shared_ptr<Loop> loop, const Client& client) = 0;
};

}  // namespace carillon::http
