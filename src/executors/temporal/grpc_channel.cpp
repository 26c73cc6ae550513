#include "executors/temporal/grpc_channel.hpp"

#include "executors/temporal/channel_connection.hpp"

#include <algorithm>
#include <utility>

namespace carillon::workflows {
namespace {

using grpc::StatusCode;
using Stage = ChannelConnection::Stage;

}  // namespace

Result<std::unique_ptr<GrpcChannel>> GrpcChannel::open(ChannelOptions options) {
  std::shared_ptr<TlsContext> tls;
  if (options.cluster.tls) tls = TRY(TlsContext::open(*options.cluster.tls));
  std::unique_ptr<GrpcChannel> channel{new GrpcChannel{std::move(options)}};
  channel->tls_ = std::move(tls);
  return channel;
}

GrpcChannel::GrpcChannel(ChannelOptions options) : options_{std::move(options)} {}
GrpcChannel::~GrpcChannel() = default;

void GrpcChannel::call(std::string path, std::string message, Duration now, Duration timeout, Done done) {
  const auto told = std::chrono::duration_cast<std::chrono::milliseconds>(timeout);
  waiting_.push_back({.call = {.path = std::move(path), .message = std::move(message), .timeout = told},
                      .deadline = now + timeout,
                      .done = std::move(done)});
}

void GrpcChannel::add_waits(std::vector<pollfd>& waits) {
  for (ChannelConnection* connection : {current_.get(), leaving_.get()})
    if (connection != nullptr && connection->stage() != Stage::closed) waits.push_back(connection->wait());
}

Duration GrpcChannel::next_turn(Duration now) const {
  Duration next = now + options_.keepalive;
  if (!waiting_.empty() && current_ && current_->stage() == Stage::open) return now;
  if (!waiting_.empty()) next = std::min(next, current_ ? waiting_.front().deadline : next_connect_);
  for (const ChannelConnection* connection : {current_.get(), leaving_.get()})
    if (connection != nullptr) next = std::min(next, connection->next_deadline());
  if (current_ && current_->stage() != Stage::open)
    next = std::min(next, current_->begun_at() + options_.connect_timeout);
  return next;
}

void GrpcChannel::fail_waiting(const std::string& why, Duration now) {
  trouble_ = why;
  reconnect_delay_ = std::clamp(2 * reconnect_delay_, options_.reconnect_min, options_.reconnect_max);
  next_connect_ = now + reconnect_delay_;
  for (auto waiting = std::exchange(waiting_, {}); Waiting & one : waiting)
    one.done({.status = {.code = StatusCode::unavailable, .message = why}, .is_unsent = true});
}

void GrpcChannel::connect(Duration now) {
  auto metadata = options_.metadata();
  if (!metadata) return fail_waiting(metadata.error().message, now);
  metadata_ = *std::move(metadata);
  current_ = std::make_unique<ChannelConnection>(options_.cluster, tls_, address_index_, now);
}

void GrpcChannel::send_waiting(Duration now) {
  // Those that come while these are sent wait for the next turn.
  for (auto waiting = std::exchange(waiting_, {}); Waiting & one : waiting) {
    one.call.metadata = metadata_;
    if (one.deadline > now)
      current_->call(one.call, one.deadline, std::move(one.done));
    else
      one.done({.status = {.code = StatusCode::deadline_exceeded, .message = "the cluster did not answer in time"},
                .is_unsent = true});
  }
}

void GrpcChannel::end_late(Duration now) {
  for (ChannelConnection* connection : {current_.get(), leaving_.get()})
    if (connection != nullptr) connection->end_late(now);
}

void GrpcChannel::advance(Duration now) {
  if (!current_ && !waiting_.empty() && now >= next_connect_) connect(now);
  if (leaving_) {
    leaving_->advance(now, options_.keepalive);
    if (leaving_->stage() == Stage::closed || leaving_->call_count() == 0) leaving_.reset();
  }
  end_late(now);
  if (!current_) return;
  current_->advance(now, options_.keepalive);
  if (current_->stage() == Stage::open && current_->is_usable()) {
    trouble_.clear();
    reconnect_delay_ = {};
    if (!waiting_.empty()) {
      send_waiting(now);
      current_->advance(now, options_.keepalive);
    }
  } else if (current_->stage() != Stage::open && current_->stage() != Stage::closed &&
             now >= current_->begun_at() + options_.connect_timeout) {
    current_->close("the cluster cannot be connected to in time");
  }
  if (current_->stage() == Stage::closed) {
    ++address_index_;
    const std::string why = current_->failure();
    current_.reset();
    return fail_waiting(why, now);
  }
  if (!current_->is_usable()) {
    // It is told to go: what it has been asked is waited for, what is new goes elsewhere.
    if (leaving_) leaving_->close("the server is going away");
    leaving_ = std::move(current_);
    next_connect_ = now;
  }
}

}  // namespace carillon::workflows
