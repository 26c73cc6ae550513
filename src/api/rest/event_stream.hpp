#pragma once

#include "api/http/responder.hpp"
#include "api/rest/call.hpp"
#include "service/event_subscriptions.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace carillon::rest {

/// Events as server-sent events: `id`, `event` and one line of JSON as `data`.
class EventStreamFormat final : public EventFormat {
 public:
  [[nodiscard]] std::string text_of(const EventMessage& message) const override;
  [[nodiscard]] std::string_view keep_alive() const override { return ": still here\n\n"; }
};

/// The events of one connection.
class EventStreamSink final : public EventSink {
 public:
  explicit EventStreamSink(http::ResponseStream stream) : stream_{std::move(stream)} {}

  bool push(std::string_view text) override { return stream_.write(text); }
  void close() override { stream_.close(); }
  [[nodiscard]] bool is_open() const override { return stream_.is_open(); }
  [[nodiscard]] std::size_t room() const override { return stream_.room(); }
  void when_drained(std::function<void()> what) override { stream_.when_drained(std::move(what)); }

 private:
  http::ResponseStream stream_;
};

/// The bytes of a log that is followed.
class LogStreamSink final : public LogSink {
 public:
  explicit LogStreamSink(http::ResponseStream stream) : stream_{std::move(stream)} {}

  bool write(std::string_view bytes) override { return stream_.write(bytes); }
  void close() override { stream_.close(); }
  [[nodiscard]] bool is_open() const override { return stream_.is_open(); }

 private:
  http::ResponseStream stream_;
};

/// Which events a request asks for.
[[nodiscard]] Served<SubscriptionFilter> event_filter_in(Call& call);

}  // namespace carillon::rest
