#pragma once

#include "ports/event_feed.hpp"
#include "ports/run_progress.hpp"
#include "service/event_message.hpp"
#include "service/parts.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace carillon {

/// An event with what it is chosen by.
struct SubscribedEvent {
  EventMessage message;
  std::string name_space;
  std::string schedule;  // id; empty: a job without a schedule
  EventTopic topic{};
};

/// Makes what subscribers are told of what the store's feed says.
class FeedReader {
 public:
  explicit FeedReader(const ServiceParts& parts) : parts_{parts} {}

  /// In their order. An event whose subject cannot be read any more is left out.
  [[nodiscard]] std::vector<SubscribedEvent> read(std::span<const FeedEvent> events);
  /// What is told of attempts under way, to those who have been told everything up to a position.
  [[nodiscard]] std::vector<SubscribedEvent> read(std::span<const AttemptProgress> steps, std::int64_t position);

 private:
  using RunsBySeq = std::map<Seq, RunAnswer>;

  [[nodiscard]] RunsBySeq runs_of(std::span<const FeedEvent> events);
  [[nodiscard]] static std::optional<SubscribedEvent> run_event(const FeedEvent& event, const RunsBySeq& runs);
  [[nodiscard]] std::optional<SubscribedEvent> schedule_event(const FeedEvent& event);
  [[nodiscard]] std::optional<ScheduleKey> key_of(Uid uid);
  [[nodiscard]] std::optional<BackfillEvent> backfill_event(const FeedEvent& event, const ScheduleKey& key);

  const ServiceParts& parts_;
};

}  // namespace carillon
