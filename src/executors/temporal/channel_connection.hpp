#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "executors/temporal/cluster_settings.hpp"
#include "grpc_wire/client_session.hpp"

#include <poll.h>

#include <cstddef>
#include <map>
#include <memory>
#include <string>

struct ssl_ctx_st;
struct ssl_st;

namespace carillon::workflows {

/// What is known of TLS for one cluster: whom to trust and who we are.
class TlsContext {
 public:
  [[nodiscard]] static Result<std::shared_ptr<TlsContext>> open(const ClusterTls& tls);
  [[nodiscard]] ssl_ctx_st* get() { return context_.get(); }

 private:
  explicit TlsContext(ssl_ctx_st* context);
  std::unique_ptr<ssl_ctx_st, void (*)(ssl_ctx_st*)> context_;
};

/// One connection to a server, from its first packet to its end. Nothing here blocks but the look-up of its name.
class ChannelConnection {
 public:
  enum class Stage { connecting, shaking_hands, open, closed };

  /// `address_index` chooses among the addresses that the host has. Without `tls` it is plain.
  ChannelConnection(const ClusterSettings& cluster, std::shared_ptr<TlsContext> tls, std::size_t address_index,
                    Duration now);
  ChannelConnection(const ChannelConnection&) = delete;
  ChannelConnection& operator=(const ChannelConnection&) = delete;
  ~ChannelConnection();

  [[nodiscard]] Stage stage() const { return stage_; }
  [[nodiscard]] const std::string& failure() const { return failure_; }
  [[nodiscard]] Duration begun_at() const { return begun_at_; }

  /// A call that ends at `deadline` with DEADLINE_EXCEEDED.
  void call(const grpc::OutgoingCall& call, Duration deadline, grpc::ClientSession::Done done);
  [[nodiscard]] std::size_t call_count() const { return session_.call_count(); }
  [[nodiscard]] bool is_usable() const { return stage_ != Stage::closed && session_.is_usable(); }

  [[nodiscard]] pollfd wait();
  /// Does what can be done without waiting. A connection that breaks answers its calls with UNAVAILABLE.
  void advance(Duration now, Duration keepalive);
  void end_late(Duration now);
  [[nodiscard]] Duration next_deadline() const;
  void close(const std::string& why);

 private:
  void begin(const ClusterSettings& cluster, std::size_t address_index);
  [[nodiscard]] bool finish_connect();
  [[nodiscard]] bool shake_hands();
  [[nodiscard]] bool receive(Duration now);
  [[nodiscard]] bool flush();
  void keep_alive(Duration now, Duration keepalive);

  std::shared_ptr<TlsContext> tls_;
  std::unique_ptr<ssl_st, void (*)(ssl_st*)> ssl_;
  int socket_ = -1;
  grpc::ClientSession session_;
  const Duration begun_at_;
  Stage stage_ = Stage::connecting;
  std::string failure_;
  std::map<std::int32_t, Duration> deadlines_;
  short wanted_ = 0;  // events of poll()
  Duration heard_at_{};
  Duration pinged_at_{};
  std::uint64_t pongs_seen_ = 0;
  bool is_pinging_ = false;
};

}  // namespace carillon::workflows
