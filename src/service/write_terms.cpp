#include "service/write_terms.hpp"

#include "base/mix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace carillon {

std::string revision_tag(const ScheduleState& state) {
  // A uid is nobody's business outside; multiplied by an odd number it is still unique.
  return fmt::format("{:016x}-{}", spread(static_cast<std::uint64_t>(state.uid)), state.revision);
}

Served<> check(const Preconditions& when, const ScheduleRecord* now, std::string_view id) {
  if (when.is_empty()) return {};
  if (now == nullptr) {
    if (!when.must_exist && !when.any_of) return {};
    return refuse(Refusal::Kind::stale, "stale_revision", "there is no schedule {}", id);
  }
  if (when.must_be_new) return refuse(Refusal::Kind::stale, "exists_already", "schedule {} exists already", id);
  const std::string tag = revision_tag(now->view.state);
  const auto has = [&](const std::vector<std::string>& tags) { return std::ranges::find(tags, tag) != tags.end(); };
  if ((when.any_of && !has(*when.any_of)) || has(when.none_of))
    return refuse(Refusal::Kind::stale, "stale_revision",
                  "schedule {} is now at revision {}, which is not the one asked for", id, now->view.state.revision);
  return {};
}

std::optional<KnownRevision> known_by(const WriteTerms& terms, const ScheduleRecord& now) {
  if (terms.when.is_empty()) return std::nullopt;
  return KnownRevision{now.view.state};
}

}  // namespace carillon
