#include "engine/definition.hpp"

#include "engine/lane.hpp"

#include <utility>

namespace carillon {
namespace {

struct Place {
  std::string queue;
  std::int64_t priority = 0;
};

// Queues of jobs are ids, which never begin with @ and never have a slash: each namespace has its own.
Place place_of(const Action& action, const Policies& policies, const NamespaceId& name_space) {
  QueueLane lane{
      .queue = "@" + std::string{kind_of(action)}, .tags = policies.tags, .concurrency = policies.concurrency};
  // The queues of a server are those of all namespaces: their keys must not be.
  if (lane.concurrency) lane.concurrency->key = queue_name(name_space, lane.concurrency->key);
  const auto* job = std::get_if<JobAction>(&action);
  if (job == nullptr) return {.queue = lane_name(lane), .priority = priority_normal};
  lane.queue = queue_name(name_space, job->queue);
  lane.type = job->type;
  return {.queue = lane_name(lane), .priority = job->priority};
}

bool has_wall_rules(const Spec& spec) { return !spec.crons.empty() || !spec.calendars.empty(); }

bool depends_on_zone(const Spec& spec) {
  return (has_wall_rules(spec) || !spec.exclude.empty()) && spec.timezone != "UTC" && spec.timezone != "GMT";
}

}  // namespace

std::string queue_name(const NamespaceId& name_space, std::string_view queue) {
  if (name_space.text() == "default") return std::string{queue};
  return name_space.text() + "/" + std::string{queue};
}

std::optional<Instant> Definition::newest_due(Instant now) const {
  const auto nominal = timetable.previous(now + Duration{1});
  // Jitter never reaches the occurrence after it, so the one before is due when this one's nominal time has come.
  return nominal && due(*nominal) > now ? timetable.previous(*nominal) : nominal;
}

Result<Definition> compile(const ScheduleDocument& document, std::int64_t revision, ZonePtr zone, ZoneEdition edition,
                           Instant created_at) {
  const Policies& policies = document.policies;
  Place place = place_of(document.action, policies, document.name_space);
  return Definition{.key = {document.name_space, document.id},
                    .revision = revision,
                    .is_enabled = document.enabled,
                    .has_occurrences = !document.spec.is_empty(),
                    .has_wall_rules = has_wall_rules(document.spec),
                    .zone_edition = depends_on_zone(document.spec) ? edition : ZoneEdition::none,
                    .timetable = TRY(Timetable::make(document.spec, std::move(zone), created_at)),
                    .seed = document.name_space.text() + "-" + document.id.text(),
                    .policies = policies,
                    .rules = {.retry = policies.retry,
                              .retries_when_lost = retries_when_lost(policies, document.action),
                              .start_deadline = start_deadline_of(policies, document.action),
                              .lost_max = policies.retry.lost_max},
                    .queue = std::move(place.queue),
                    .priority = place.priority,
                    .name = document.name,
                    .action = document.action};
}

}  // namespace carillon
