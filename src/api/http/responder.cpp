#include "api/http/responder.hpp"

#include "base/assertion.hpp"

#include <utility>

namespace carillon::http {

ResponseStream::ResponseStream(std::shared_ptr<StreamSink> sink) : sink_{std::move(sink)} {}

bool ResponseStream::write(std::string_view bytes) const { return sink_->write(bytes); }

void ResponseStream::close() const { sink_->close(); }

bool ResponseStream::is_open() const { return sink_->is_open(); }

std::size_t ResponseStream::room() const { return sink_->room(); }

void ResponseStream::when_drained(std::function<void()> what) const { sink_->when_drained(std::move(what)); }

void ResponseStream::on_closed(std::function<void()> what) const { sink_->on_closed(std::move(what)); }

Responder::Responder(std::shared_ptr<AnswerSink> sink) : sink_{std::move(sink)} {}

Responder& Responder::operator=(Responder&& other) noexcept {
  if (this == &other) return *this;
  if (sink_) std::exchange(sink_, nullptr)->abandon();
  sink_ = std::move(other.sink_);
  return *this;
}

Responder::~Responder() {
  if (sink_) sink_->abandon();
}

void Responder::send(Response response) {
  CARILLON_ASSERT(sink_ != nullptr);
  std::exchange(sink_, nullptr)->send(std::move(response));
}

ResponseStream Responder::start_stream(int status, HeaderList headers) {
  CARILLON_ASSERT(sink_ != nullptr);
  return ResponseStream{std::exchange(sink_, nullptr)->start_stream(status, std::move(headers))};
}

}  // namespace carillon::http
