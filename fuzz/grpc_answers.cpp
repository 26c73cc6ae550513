// What a server of ours gets from a cluster: the client's side of a session takes the bytes as they are, and once more
// behind the settings that a server begins with, in two pieces. Each call is answered once, within the bounds.
#include "base/assertion.hpp"
#include "grpc_wire/client_session.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace {

using namespace carillon::grpc;

constexpr std::size_t message_size_max = 64 * 1024;

void drain(ClientSession& session) {
  for (int i = 0; i < 10'000 && !session.output().empty(); ++i) session.remove_output(session.output().size());
}

void ask(std::string_view first, std::string_view second) {
  ClientSession session{{.authority = "cluster:7233", .message_size_max = message_size_max}};
  int answer_count = 0;
  const auto taken = [&](const ReceivedAnswer& answer) {
    CARILLON_ASSERT(answer.message.size() <= message_size_max);
    CARILLON_ASSERT(answer.status.is_ok() || answer.message.empty());
    ++answer_count;
  };
  session.call({.path = "/s/First", .message = "one"}, taken);
  session.call({.path = "/s/Second", .message = "two"}, taken);
  drain(session);
  session.feed(first);
  drain(session);
  const std::int32_t third = session.call({.path = "/s/Third", .message = {}}, taken);
  session.feed(second);
  drain(session);
  session.end_call(third, {.code = StatusCode::deadline_exceeded});
  session.fail_calls({.code = StatusCode::unavailable});
  CARILLON_ASSERT(answer_count == 3);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static constexpr std::string_view hello{"\0\0\0\4\0\0\0\0\0", 9};
  const std::string_view input{reinterpret_cast<const char*>(data), size};
  ask(input, {});
  const std::size_t half = size / 2;
  ask(std::string{hello} + std::string{input.substr(0, half)}, input.substr(half));
  return 0;
}
