#include "cli/connection/event_following.hpp"

namespace carillon::cli {

Result<> follow_events(Client& client, EventFilter filter, const std::function<bool(const ServerEvent&)>& take,
                       const std::function<void(const Error&)>& lost, PollBackoff& backoff) {
  bool is_wanted = true;
  bool has_begun = false;
  while (is_wanted) {
    EventReader reader;
    HeaderFields headers{{"Accept", "text/event-stream"}};
    if (!filter.last_id.empty()) headers.emplace_back("Last-Event-ID", filter.last_id);
    const auto answer = client.stream(
        "/events", {{"topics", filter.topics}, {"schedule", filter.schedule}},
        [&](std::string_view piece) {
          has_begun = true;
          backoff.note_success();
          backoff.reset();
          for (const ServerEvent& event : reader.take(piece)) {
            if (!event.id.empty()) filter.last_id = event.id;
            is_wanted = is_wanted && take(event);
          }
          return is_wanted;
        },
        headers);
    if (!is_wanted) break;
    if (!answer) {
      // A server that was never there is not waited for.
      if (!has_begun || answer.error().rule != "unreachable" || !backoff.may_retry())
        return std::unexpected(answer.error());
      lost(answer.error());
    }
    is_wanted = backoff.pause();
  }
  return {};
}

}  // namespace carillon::cli
