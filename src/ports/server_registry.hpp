#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "engine/keys.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace carillon {

/// What a server says about itself.
struct ServerFacts {
  std::string id;  // of this life of the server: a restarted one has another
  std::string host;
  std::int64_t pid = 0;
  std::string url;  // where its API listens; empty: nowhere
  std::string version;
  std::string tzdata;          // version of its zone rules
  ZoneEdition zone_edition{};  // the same as a number
  std::vector<std::string> roles;
  std::int64_t running = 0;  // attempts that it performs now
  Instant now;               // by its own clock
  Instant started_at;
  friend bool operator==(const ServerFacts&, const ServerFacts&) = default;
};

/// What the store knows of a server. Its `now` is that of its last report.
struct RegisteredServer {
  ServerFacts facts;
  Instant seen_at;          // by the store's clock
  Duration clock_offset{};  // the store's clock less the server's, when it reported; what the report took is in it
};

struct ServerList {
  Instant store_now;
  ZoneEdition zone_edition{};             // in force: servers with an older one do not decide schedules in zones
  std::vector<RegisteredServer> servers;  // the oldest first
};

/// A server that has not reported for so long is taken to be gone.
inline constexpr Duration server_gone_after = std::chrono::seconds{30};
/// How long one that is gone is remembered.
inline constexpr Duration server_kept_for = std::chrono::hours{24};

/// The servers that share a store. It is for people: nothing is decided by it. May be called from several threads.
class ServerRegistry {
 public:
  virtual ~ServerRegistry() = default;

  /// To be told every few seconds. Forgets servers that have been gone for long.
  [[nodiscard]] virtual Result<> report_server(const ServerFacts& facts) = 0;
  /// The server ends in order: it is not to be listed any more.
  [[nodiscard]] virtual Result<> remove_server(const std::string& id) = 0;
  [[nodiscard]] virtual Result<ServerList> read_servers() = 0;
};

}  // namespace carillon
