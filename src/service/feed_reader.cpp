#include "service/feed_reader.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace carillon {
namespace {

/// The newest attempts of a run that an event shows.
constexpr std::size_t event_attempt_max = 10;

struct KindAndTopic {
  EventKind kind;
  EventTopic topic;
};

KindAndTopic kind_of(FeedKind kind) {
  switch (kind) {
    case FeedKind::run_queued: return {EventKind::run_queued, EventTopic::run};
    case FeedKind::run_started: return {EventKind::run_started, EventTopic::run};
    case FeedKind::run_finished: return {EventKind::run_finished, EventTopic::run};
    case FeedKind::run_retrying: return {EventKind::run_retrying, EventTopic::run};
    case FeedKind::occurrence_skipped: return {EventKind::occurrence_skipped, EventTopic::occurrence};
    case FeedKind::schedule_changed: return {EventKind::schedule_changed, EventTopic::schedule};
    case FeedKind::backfill_progress: return {EventKind::backfill_progress, EventTopic::backfill};
  }
  std::unreachable();
}

bool is_about_a_run(FeedKind kind) { return kind <= FeedKind::run_retrying || kind == FeedKind::occurrence_skipped; }

void keep_newest_attempts(std::vector<AttemptRecord>& attempts) {
  if (attempts.size() > event_attempt_max)
    attempts.erase(attempts.begin(), attempts.end() - static_cast<std::ptrdiff_t>(event_attempt_max));
}

/// A run is started when a worker claims it. When it was launched is written a moment later; until then the time of the
/// claim stands for it.
void set_start(RunRecordRow& record) {
  if (!record.run.started_at && !record.attempts.empty()) record.run.started_at = record.attempts.front().claimed_at;
}

}  // namespace

std::vector<SubscribedEvent> FeedReader::read(std::span<const FeedEvent> events) {
  const RunsBySeq runs = runs_of(events);
  std::vector<SubscribedEvent> read;
  read.reserve(events.size());
  for (const FeedEvent& event : events)
    if (auto message = is_about_a_run(event.kind) ? run_event(event, runs) : schedule_event(event))
      read.push_back(*std::move(message));
  return read;
}

std::vector<SubscribedEvent> FeedReader::read(std::span<const AttemptProgress> steps, std::int64_t position) {
  std::vector<Seq> seqs;
  for (const AttemptProgress& step : steps) seqs.push_back(step.key.run);
  std::vector<SubscribedEvent> read;
  const auto records = parts_.store.queries.read_run_records(seqs);
  if (!records) return read;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto& record = (*records)[i];
    // It may have ended since.
    if (!record || record->run.state != RunState::running || record->run.attempt != steps[i].key.attempt) continue;
    const RunAnswer run = run_answer(*record, parts_.run_ids);
    const std::string schedule = record->key ? record->key->id.text() : "";
    read.push_back({.message = {.position = position,
                                .kind = EventKind::run_progress,
                                .value = ProgressEvent{.run = run.id,
                                                       .name = run.name,
                                                       .schedule = schedule,
                                                       .name_space = record->name_space,
                                                       .attempt = steps[i].key.attempt,
                                                       .progress = steps[i].progress}},
                    .name_space = record->name_space,
                    .schedule = schedule,
                    .topic = EventTopic::run});
  }
  return read;
}

FeedReader::RunsBySeq FeedReader::runs_of(std::span<const FeedEvent> events) {
  std::vector<Seq> seqs;
  for (const FeedEvent& event : events)
    if (is_about_a_run(event.kind) && event.subject != Seq{}) seqs.push_back(event.subject);
  std::ranges::sort(seqs);
  seqs.erase(std::ranges::unique(seqs).begin(), seqs.end());
  RunsBySeq runs;
  if (auto records = parts_.store.queries.read_run_records(seqs))
    for (auto& record : *records) {
      if (!record) continue;
      const Seq seq = record->seq;
      RunAnswer& run = runs.emplace(seq, run_answer(*std::move(record), parts_.run_ids)).first->second;
      keep_newest_attempts(run.record.attempts);
    }
  return runs;
}

std::optional<SubscribedEvent> FeedReader::run_event(const FeedEvent& event, const RunsBySeq& runs) {
  const auto found = runs.find(event.subject);
  if (found == runs.end()) return std::nullopt;
  RunAnswer run = found->second;
  if (event.kind == FeedKind::run_started) set_start(run.record);
  const RunRecordRow& record = found->second.record;
  const auto [kind, topic] = kind_of(event.kind);
  return SubscribedEvent{.message = {.position = event.position,
                                     .kind = kind,
                                     .value = RunEvent{.run = std::move(run), .state = event.state}},
                         .name_space = record.name_space,
                         .schedule = record.key ? record.key->id.text() : "",
                         .topic = topic};
}

// By its definition, since it may be deleted by now.
std::optional<ScheduleKey> FeedReader::key_of(Uid uid) {
  const DefinitionName any{.uid = uid, .revision = std::numeric_limits<std::int64_t>::max()};
  const auto stored = parts_.store.schedules.read_definitions(std::span{&any, 1});
  if (!stored || !stored->front()) return std::nullopt;
  return stored->front()->key;
}

std::optional<BackfillEvent> FeedReader::backfill_event(const FeedEvent& event, const ScheduleKey& key) {
  const auto backfills = parts_.store.queries.read_backfills(event.uid);
  if (!backfills) return std::nullopt;
  const auto found = std::ranges::find(*backfills, event.backfill, &Backfill::number);
  if (found == backfills->end()) return std::nullopt;
  return BackfillEvent{{.key = key, .record = *found}};
}

std::optional<SubscribedEvent> FeedReader::schedule_event(const FeedEvent& event) {
  const auto key = key_of(event.uid);
  if (!key) return std::nullopt;
  const auto [kind, topic] = kind_of(event.kind);
  SubscribedEvent subscribed{.message = {.position = event.position, .kind = kind, .value = ResyncReason::too_old},
                             .name_space = key->name_space.text(),
                             .schedule = key->id.text(),
                             .topic = topic};
  if (topic == EventTopic::backfill) {
    auto backfill = backfill_event(event, *key);
    if (!backfill) return std::nullopt;
    subscribed.message.value = *std::move(backfill);
    return subscribed;
  }
  ScheduleEvent schedule{.key = *key, .change = event.change, .at = event.at};
  if (const auto record = parts_.store.queries.read_schedule(event.uid); record && *record) {
    schedule.status = (*record)->view.state.status;
    schedule.revision = (*record)->view.state.revision;
  }
  subscribed.message.value = std::move(schedule);
  return subscribed;
}

}  // namespace carillon
