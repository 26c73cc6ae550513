#pragma once

#include "calendar/zone.hpp"
#include "definitions/schedule_document.hpp"
#include "engine/definition.hpp"
#include "engine/step.hpp"
#include "support/test_zones.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

namespace carillon::testing {

/// A schedule for tests, told in words: `a_schedule().every(5min).overlap(OverlapPolicy::skip)`. Intervals count from
/// midnight, so that they fall on full minutes and hours.
class ScheduleBuilder {
 public:
  ScheduleBuilder& id(std::string_view id) {
    document_.id = ScheduleId::parse(id).value();
    return *this;
  }
  ScheduleBuilder& every(Duration period) {
    document_.spec.intervals = {{.every = period, .anchor = Anchor::epoch}};
    return *this;
  }
  ScheduleBuilder& cron(std::string text) {
    document_.spec.crons = {std::move(text)};
    return *this;
  }
  ScheduleBuilder& once(Instant when) {
    document_.spec.times.push_back(when);
    return *this;
  }
  ScheduleBuilder& by_hand() {
    document_.spec = {};
    return *this;
  }
  ScheduleBuilder& in(ZonePtr zone) {
    document_.spec.timezone = zone->name();
    zone_ = std::move(zone);
    return *this;
  }
  ScheduleBuilder& jitter(Duration jitter) {
    document_.spec.jitter = jitter;
    return *this;
  }
  ScheduleBuilder& from(Instant start) {
    document_.spec.start_at = start;
    return *this;
  }
  ScheduleBuilder& until(Instant end) {
    document_.spec.end_at = end;
    return *this;
  }
  ScheduleBuilder& keep(Policies::Keep keep) {
    document_.policies.keep = keep;
    return *this;
  }
  ScheduleBuilder& overlap(OverlapPolicy policy) {
    document_.policies.overlap = policy;
    return *this;
  }
  ScheduleBuilder& catchup(CatchupPolicy policy) {
    document_.policies.catchup.policy = policy;
    return *this;
  }
  ScheduleBuilder& missed(PauseMissed missed) {
    document_.policies.pause.missed = missed;
    return *this;
  }
  ScheduleBuilder& disabled() {
    document_.enabled = false;
    return *this;
  }
  ScheduleBuilder& action(Action action) {
    document_.action = std::move(action);
    return *this;
  }
  template <typename Change>
  ScheduleBuilder& with(Change change) {
    change(document_.policies);
    return *this;
  }
  template <typename Change>
  ScheduleBuilder& spec(Change change) {
    change(document_.spec);
    return *this;
  }
  ScheduleBuilder& edition(ZoneEdition edition) {
    edition_ = edition;
    return *this;
  }

  [[nodiscard]] const ScheduleDocument& document() const { return document_; }
  [[nodiscard]] Definition definition(std::int64_t revision = 1,
                                      Instant created_at = at("2027-01-01T00:00:00Z")) const {
    return compile(document_, revision, zone_, edition_, created_at).value();
  }

 private:
  static CommandAction true_command() {
    CommandAction command;
    command.argv = {"/bin/true"};
    return command;
  }

  ScheduleDocument document_{.id = ScheduleId::parse("tower").value(),
                             .name_space = NamespaceId::parse("default").value(),
                             .name = "Tower",
                             .description = "",
                             .labels = {},
                             .enabled = true,
                             .spec = {},
                             .action = true_command(),
                             .policies = {}};
  ZonePtr zone_ = Zone::utc();
  ZoneEdition edition_ = ZoneEdition::none;
};

inline ScheduleBuilder a_schedule() { return {}; }

}  // namespace carillon::testing
