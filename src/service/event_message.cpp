#include "service/event_message.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace carillon {
namespace {

constexpr std::array<std::string_view, 10> kind_words{
    "run.queued",         "run.started",      "run.finished",      "run.retrying",  "run.progress",
    "occurrence.skipped", "schedule.changed", "backfill.progress", "server.status", "resync"};
constexpr std::array<std::string_view, 5> topic_words{"run", "occurrence", "schedule", "backfill", "server"};

}  // namespace

std::string_view to_text(EventKind kind) { return kind_words[static_cast<std::size_t>(kind)]; }

std::string_view to_text(EventTopic topic) { return topic_words[static_cast<std::size_t>(topic)]; }

std::optional<EventTopic> parse_event_topic(std::string_view word) {
  const auto found = std::ranges::find(topic_words, word);
  if (found == topic_words.end()) return std::nullopt;
  return static_cast<EventTopic>(found - topic_words.begin());
}

std::string_view to_text(ServerStatus status) { return status == ServerStatus::running ? "running" : "stopping"; }

std::string_view to_text(ResyncReason reason) {
  switch (reason) {
    case ResyncReason::too_old: return "too_old";
    case ResyncReason::too_many: return "too_many";
    case ResyncReason::too_large: return "too_large";
    case ResyncReason::unknown_position: return "unknown_position";
  }
  return "";
}

}  // namespace carillon
