#include "api/http/connection_counter.hpp"

namespace carillon::http {

ConnectionCounter::Verdict ConnectionCounter::add_connection(const PeerAddress& peer) {
  const std::lock_guard lock{mutex_};
  if (all_.connections >= limits_.connection_count_max) return Verdict::full;
  Counts& own = by_address_[peer.key()];
  if (own.connections >= limits_.connection_count_per_address_max && !peer.is_loopback()) return Verdict::address_full;
  ++own.connections;
  ++all_.connections;
  return Verdict::admitted;
}

void ConnectionCounter::remove_connection(const PeerAddress& peer) {
  const std::lock_guard lock{mutex_};
  --all_.connections;
  --by_address_[peer.key()].connections;
  forget_if_empty(peer.key());
}

ConnectionCounter::Verdict ConnectionCounter::add_stream(const PeerAddress& peer) {
  const std::lock_guard lock{mutex_};
  if (all_.streams >= limits_.stream_count_max) return Verdict::full;
  Counts& own = by_address_[peer.key()];
  if (own.streams >= limits_.stream_count_per_address_max && !peer.is_loopback()) return Verdict::address_full;
  ++own.streams;
  ++all_.streams;
  return Verdict::admitted;
}

void ConnectionCounter::remove_stream(const PeerAddress& peer) {
  const std::lock_guard lock{mutex_};
  --all_.streams;
  --by_address_[peer.key()].streams;
  forget_if_empty(peer.key());
}

void ConnectionCounter::forget_if_empty(const PeerAddress::Key& key) {
  const auto found = by_address_.find(key);
  if (found->second.connections == 0 && found->second.streams == 0) by_address_.erase(found);
}

std::size_t ConnectionCounter::connection_count() const {
  const std::lock_guard lock{mutex_};
  return all_.connections;
}

std::size_t ConnectionCounter::stream_count() const {
  const std::lock_guard lock{mutex_};
  return all_.streams;
}

}  // namespace carillon::http
