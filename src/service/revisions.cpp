#include "service/revisions.hpp"

#include <span>
#include <utility>

namespace carillon {

Served<RevisionPage> Revisions::list(const Caller& caller, const ScheduleName& name, RevisionListRequest request) {
  const ScheduleRecord record = TRY(schedules_.find(caller, name));
  const std::size_t count_max = request.count_max++;  // one more tells whether there are more
  RevisionPage page{.items = TRY(parts_.store.queries.read_revisions(record.view.state.uid, request)),
                    .current = record.view.state.revision};
  if (page.items.size() > count_max) {
    page.items.pop_back();
    page.next = page.items.back().revision;
  }
  return page;
}

Served<RevisionAnswer> Revisions::get(const Caller& caller, const ScheduleName& name, std::int64_t revision) {
  const ScheduleRecord record = TRY(schedules_.find(caller, name));
  const ScheduleState& state = record.view.state;
  const auto no_such = [&] {
    return refuse(Refusal::Kind::not_found, "not_found", "schedule {} has no revision {}: the newest is {}",
                  record.key.id.text(), revision, state.revision);
  };
  if (revision < 1 || revision > state.revision) return no_such();
  auto lines = TRY(parts_.store.queries.read_revisions(state.uid, {.before = revision + 1, .count_max = 1}));
  const DefinitionName own{.uid = state.uid, .revision = revision};
  auto definitions = TRY(parts_.store.schedules.read_definitions(std::span{&own, 1}));
  if (lines.empty() || lines.front().revision != revision || !definitions.front()) return no_such();
  return RevisionAnswer{.change = std::move(lines.front()),
                        .document = std::move(definitions.front()->document),
                        .current = state.revision};
}

}  // namespace carillon
