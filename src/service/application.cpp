#include "service/application.hpp"

namespace carillon {

namespace {

ServiceParts with_presence(ServiceParts parts, WorkerPresence& presence) {
  // Workers of a shared store may be known to others only: then a queue is never said to have none.
  if (!parts.is_store_shared) parts.presence = &presence;
  return parts;
}

}  // namespace

Application::Application(const ServiceParts& parts, const ApplicationOptions& options, Log& log)
    : presence_{parts.clock},
      parts_{with_presence(parts, presence_)},
      access_{parts_},
      sessions_{parts_, access_},
      schedules_{parts_},
      queries_{parts_, schedules_},
      revisions_{parts_, schedules_},
      timelines_{parts_, schedules_},
      load_spread_{parts_},
      backfills_{parts_, schedules_},
      runs_{parts_, schedules_},
      pipelines_{parts_},
      workers_{parts_},
      system_{parts_, shutdown_},
      locks_{parts_},
      starts_{parts_.clock, options.starts_per_second},
      batches_{parts_, schedules_, starts_},
      requests_{parts_.store.idempotency, log},
      repeated_answers_{schedules_, backfills_, runs_},
      refusals_{parts_.store.audit, parts_.clock, log, options.loops},
      admission_{access_, sessions_, refusals_, shutdown_, parts_.clock},
      events_{parts_, access_, log, options.beat_interval, options.loops},
      log_followers_{access_, runs_, options.loops},
      claims_{parts_, access_, workers_, options.loops},
      changes_{parts_.store.notifier.subscribe([this](const StoreChange& change) {
        if (change.has_events) events_.wake();
        if (change.has_events || change.has_claimable) claims_.wake();
      })},
      progress_{parts_.progress == nullptr ? nullptr : parts_.progress->listen([this] { events_.wake(); })} {}

Application::~Application() { stop(); }

void Application::stop() {
  claims_.stop();
  events_.stop();
  log_followers_.stop();
  refusals_.stop();
}

Served<> Application::count_start(const Caller& caller, const Operation& operation) {
  return operation.starts_run ? starts_.count(caller, 1) : Served<>{};
}

}  // namespace carillon
