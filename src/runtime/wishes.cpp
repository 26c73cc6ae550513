#include "runtime/wishes.hpp"

#include <boost/json/serialize.hpp>

#include <utility>

namespace carillon {

Wishes::Wishes(ScheduleStore& store, RunQueue& queue, SharedDefinitions& definitions, std::function<void()> on_granted)
    : store_{store}, queue_{queue}, definitions_{definitions}, on_granted_{std::move(on_granted)} {}

Mind& Wishes::mind() {
  auto names = definitions_.zones().names();
  if (!mind_ || names != names_) {
    mind_ = std::make_unique<Mind>(store_, queue_, definitions_, unique_number());
    names_ = std::move(names);
  }
  return *mind_;
}

Result<Changed> Wishes::granted(Result<Changed> changed) {
  if (changed) on_granted_();
  return changed;
}

Result<Changed> Wishes::create(const ScheduleDocument& document, const std::string& by,
                               std::optional<std::int64_t> request) {
  const std::scoped_lock lock{mutex_};
  return granted(mind().scheduling.create(document, by, request.value_or(unique_number())));
}

Result<Changed> Wishes::edit(const ScheduleDocument& document, const std::string& by,
                             std::optional<std::int64_t> request, std::optional<std::int64_t> if_revision) {
  const std::scoped_lock lock{mutex_};
  return granted(mind().scheduling.edit(document, by, request.value_or(unique_number()), if_revision));
}

Result<Changed> Wishes::change(const ScheduleKey& key, const Event& event, std::optional<std::int64_t> request,
                               std::optional<std::int64_t> if_revision) {
  const std::scoped_lock lock{mutex_};
  return granted(mind().scheduling.change(key, event, request.value_or(unique_number()), if_revision));
}

Result<std::size_t> Wishes::adopt_zone_rules() {
  const std::scoped_lock lock{mutex_};
  return mind().scheduling.adopt_zone_rules();
}

Result<Wishes::Applied> Wishes::apply(const ScheduleDocument& document, const std::string& by) {
  const ScheduleKey key{document.name_space, document.id};
  const Found found = TRY(store_.find(key));
  if (!found.view || found.view->state.deleted_at) {
    TRY(create(document, by));
    return Applied::created;
  }
  const ScheduleState& state = found.view->state;
  const auto stored = TRY(store_.read_definitions(std::vector{DefinitionName{state.uid, state.revision}}));
  if (stored.front() && stored.front()->document == boost::json::serialize(write_schedule(document)))
    return Applied::unchanged;
  TRY(edit(document, by, std::nullopt, state.revision));
  return Applied::updated;
}

}  // namespace carillon
