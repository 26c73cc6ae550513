#include "scheduling/wishes.hpp"

#include <boost/json/serialize.hpp>

#include <utility>

namespace carillon {

Wishes::Wishes(ScheduleStore& store, RunQueue& queue, SharedDefinitions& definitions, std::function<void()> on_granted,
               ClockCheck check_clock)
    : store_{store},
      queue_{queue},
      definitions_{definitions},
      on_granted_{std::move(on_granted)},
      check_clock_{std::move(check_clock)} {}

template <typename Wish>
auto Wishes::with_mind(Wish wish) {
  const auto names = definitions_.zones().names();
  std::unique_ptr<Mind> mind;
  {
    const std::scoped_lock lock{mutex_};
    if (std::exchange(names_, names) != names) idle_.clear();
    if (!idle_.empty()) {
      mind = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (!mind) mind = std::make_unique<Mind>(store_, queue_, definitions_, unique_number(), check_clock_);
  auto outcome = wish(*mind);
  const std::scoped_lock lock{mutex_};
  if (names_ == names) idle_.push_back(std::move(mind));
  return outcome;
}

template <typename Wish>
Result<Changed> Wishes::grant(Wish wish) {
  auto changed = with_mind([&](Mind& mind) { return wish(mind.scheduling); });
  if (changed) on_granted_();
  return changed;
}

Result<Changed> Wishes::create(const ScheduleDocument& document, const std::string& by, const WishTerms& terms) {
  return grant([&](Scheduling& scheduling) {
    return scheduling.create(document, by, terms.request.value_or(unique_number()), terms.attached);
  });
}

Result<Changed> Wishes::edit(const ScheduleDocument& document, const std::string& by, const WishTerms& terms) {
  return grant([&](Scheduling& scheduling) {
    return scheduling.edit(document, by, terms.request.value_or(unique_number()), terms.if_revision, terms.attached);
  });
}

Result<Changed> Wishes::change(const ScheduleKey& key, const Event& event, const WishTerms& terms) {
  return grant([&](Scheduling& scheduling) {
    return scheduling.change(key, event, terms.request.value_or(unique_number()), terms.if_revision, terms.attached);
  });
}

Result<Tried> Wishes::try_create(const ScheduleDocument& document, const std::string& by) {
  return with_mind([&](Mind& mind) { return mind.scheduling.try_create(document, by); });
}

Result<Tried> Wishes::try_edit(const ScheduleDocument& document, const std::string& by,
                               std::optional<KnownRevision> if_revision) {
  return with_mind([&](Mind& mind) { return mind.scheduling.try_edit(document, by, if_revision); });
}

Result<Tried> Wishes::try_change(const ScheduleKey& key, const Event& event, std::optional<KnownRevision> if_revision) {
  return with_mind([&](Mind& mind) { return mind.scheduling.try_change(key, event, if_revision); });
}

Result<std::size_t> Wishes::adopt_zone_rules() {
  return with_mind([](Mind& mind) { return mind.scheduling.adopt_zone_rules(); });
}

Result<Wishes::Applied> Wishes::apply(const ScheduleDocument& document, const std::string& by,
                                      const Attached* attached) {
  const ScheduleKey key{document.name_space, document.id};
  const Found found = TRY(store_.find(key));
  if (!found.view || found.view->state.deleted_at) {
    TRY(create(document, by, {.attached = attached}));
    return Applied::created;
  }
  const ScheduleState& state = found.view->state;
  const auto stored = TRY(store_.read_definitions(std::vector{DefinitionName{state.uid, state.revision}}));
  if (stored.front() && stored.front()->document == boost::json::serialize(write_schedule(document)))
    return Applied::unchanged;
  TRY(edit(document, by, {.if_revision = KnownRevision{state}, .attached = attached}));
  return Applied::updated;
}

}  // namespace carillon
