#pragma once

#include "api/http/peer_address.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

namespace carillon::http {

struct ConnectionLimits {
  std::size_t connection_count_max;
  std::size_t connection_count_per_address_max;
  std::size_t stream_count_max;
  std::size_t stream_count_per_address_max;
};

/// Counts connections and streams, in all and by address, and says who is one too many. May be used from several
/// threads.
class ConnectionCounter {
 public:
  explicit ConnectionCounter(const ConnectionLimits& limits) : limits_{limits} {}

  enum class Verdict { admitted, full, address_full };

  /// What is admitted is counted until it is removed.
  [[nodiscard]] Verdict add_connection(const PeerAddress& peer);
  void remove_connection(const PeerAddress& peer);
  [[nodiscard]] Verdict add_stream(const PeerAddress& peer);
  void remove_stream(const PeerAddress& peer);

  [[nodiscard]] std::size_t connection_count() const;
  [[nodiscard]] std::size_t stream_count() const;

 private:
  struct Counts {
    std::size_t connections = 0;
    std::size_t streams = 0;
  };

  void forget_if_empty(const PeerAddress::Key& key);

  ConnectionLimits limits_;
  mutable std::mutex mutex_;
  Counts all_;
  std::map<PeerAddress::Key, Counts> by_address_;
};

}  // namespace carillon::http
