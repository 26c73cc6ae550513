#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "executors/temporal/cluster_settings.hpp"
#include "grpc_wire/client_session.hpp"

#include <poll.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace carillon::workflows {

class ChannelConnection;
class TlsContext;

struct ChannelOptions {
  ClusterSettings cluster;
  /// What every call carries, asked for anew with every connection, so that a key that was replaced is taken.
  std::function<Result<grpc::Metadata>()> metadata;
  Duration connect_timeout = std::chrono::seconds{10};
  Duration keepalive = std::chrono::seconds{30};
  Duration reconnect_min = std::chrono::milliseconds{200};
  Duration reconnect_max = std::chrono::seconds{5};
};

/// Calls to one server, over one connection that is made when there is something to call and made again when it breaks.
/// Used by one thread, which waits in poll() between two turns. Times are since boot.
class GrpcChannel {
 public:
  using Done = grpc::ClientSession::Done;

  /// Reads the files of the settings.
  [[nodiscard]] static Result<std::unique_ptr<GrpcChannel>> open(ChannelOptions options);
  ~GrpcChannel();

  /// Makes a call. `done` comes from within `advance`, once: with the answer, with DEADLINE_EXCEEDED, or with
  /// UNAVAILABLE if there is no connection or it breaks; then the server may or may not have got the call.
  void call(std::string path, std::string message, Duration now, Duration timeout, Done done);

  /// What to wait for.
  void add_waits(std::vector<pollfd>& waits);
  [[nodiscard]] Duration next_turn(Duration now) const;
  /// Sends, receives, connects, ends what took too long.
  void advance(Duration now);

  /// Why there is no connection; empty while there is one.
  [[nodiscard]] const std::string& trouble() const { return trouble_; }

 private:
  struct Waiting {
    grpc::OutgoingCall call;
    Duration deadline;
    Done done;
  };
  explicit GrpcChannel(ChannelOptions options);
  void connect(Duration now);
  void send_waiting(Duration now);
  void fail_waiting(const std::string& why, Duration now);
  void end_late(Duration now);

  const ChannelOptions options_;
  std::shared_ptr<TlsContext> tls_;  // shared with its connections
  std::deque<Waiting> waiting_;
  std::unique_ptr<ChannelConnection> current_;
  std::unique_ptr<ChannelConnection> leaving_;  // told by the server to go; its calls are waited for
  grpc::Metadata metadata_;
  std::string trouble_;
  Duration next_connect_{};
  Duration reconnect_delay_{};
  std::size_t address_index_ = 0;
};

}  // namespace carillon::workflows
