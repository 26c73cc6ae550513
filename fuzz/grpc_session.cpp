// A session of gRPC gets the bytes as they are, and once more behind a proper beginning of HTTP/2, in two pieces.
// Whatever comes, it keeps within its bounds and ends when it is told to.
#include "api/grpc/session.hpp"
#include "base/assertion.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace carillon::grpc;

/// Answers every second call at once, the others when all has come.
struct Answering final : CallReceiver {
  void receive(std::int32_t number, Call call) override {
    CARILLON_ASSERT(call.message.size() <= SessionLimits{}.message_size_max);
    if (open.size() % 2 == 0) session->answer(number, {.message = call.message});
    open.push_back(number);
  }
  [[nodiscard]] Status admit(const Call& head) override {
    return head.authorization.empty() ? Status{.code = StatusCode::unauthenticated} : Status{};
  }
  void on_cancelled(std::int32_t /*number*/) override {}

  Session* session = nullptr;
  std::vector<std::int32_t> open;
};

void drain(Session& session) {
  for (int i = 0; i < 10'000 && !session.output().empty(); ++i) session.remove_output(session.output().size());
}

void serve(std::string_view first, std::string_view second) {
  const SessionLimits limits{};
  Answering receiver;
  Session session{limits, receiver};
  receiver.session = &session;
  session.feed(first);
  drain(session);
  session.feed(second);
  CARILLON_ASSERT(session.received_size() <= limits.received_size_max);
  for (const std::int32_t number : receiver.open) session.answer(number, {.message = "late"});
  drain(session);
  session.drop_unfinished();
  session.begin_shutdown();
  drain(session);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static constexpr std::string_view hello{"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0", 33};
  const std::string_view input{reinterpret_cast<const char*>(data), size};
  serve(input, {});
  const std::size_t half = size / 2;
  serve(std::string{hello} + std::string{input.substr(0, half)}, input.substr(half));
  return 0;
}
