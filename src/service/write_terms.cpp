#include "service/write_terms.hpp"

#include "base/mix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace carillon {

CommandMetadata attached_to(const Caller& caller, std::string operation, std::string name_space, std::string target,
                            const WriteTerms& terms) {
  return {.audit = AuditEntry{.actor = caller.actor,
                              .address = caller.address,
                              .operation = terms.dead_letter ? "deadLetter.retry" : std::move(operation),
                              .name_space = std::move(name_space),
                              .target = std::move(target),
                              .outcome = "done",
                              .before = {},
                              .after = {}},
          .request = terms.key,
          .dead_letter = terms.dead_letter};
}

CommandMetadata attached_to(const Caller& caller, std::string operation, const ScheduleKey& key,
                            const WriteTerms& terms) {
  return attached_to(caller, std::move(operation), key.name_space.text(), key.id.text(), terms);
}

std::string revision_tag(const ScheduleState& state) {
  // A uid is nobody's business outside; multiplied by an odd number it is still unique.
  return fmt::format("{:016x}-{}", spread(static_cast<std::uint64_t>(state.uid)), state.revision);
}

Served<> check(const Preconditions& when, const ScheduleRecord* now, std::string_view id) {
  if (when.is_empty()) return {};
  if (now == nullptr) {
    if (!when.must_exist && !when.any_of) return {};
    return refuse(Refusal::Kind::stale, "stale_revision", "schedule {} not found", id);
  }
  if (when.must_be_new) return refuse(Refusal::Kind::stale, "exists_already", "schedule {} already exists", id);
  const std::string tag = revision_tag(now->view.state);
  const auto has = [&](const std::vector<std::string>& tags) { return std::ranges::find(tags, tag) != tags.end(); };
  if ((when.any_of && !has(*when.any_of)) || has(when.none_of))
    return refuse(Refusal::Kind::stale, "stale_revision", "schedule {} is now at revision {}, not at the one requested",
                  id, now->view.state.revision);
  return {};
}

std::optional<KnownRevision> known_by(const WriteTerms& terms, const ScheduleRecord& now) {
  if (terms.when.is_empty()) return std::nullopt;
  return KnownRevision{now.view.state};
}

}  // namespace carillon
