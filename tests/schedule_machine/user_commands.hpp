#pragma once

#include "engine/step.hpp"
#include "support/tower.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace carillon::testing {

// What users ask of a schedule, said by anna.

inline Event pause() { return Paused{.by = "anna"}; }
inline Event pause_until(std::string_view when) { return Paused{.by = "anna", .until = moment(when)}; }
inline Event resume() { return Resumed{.by = "anna"}; }
inline Event enable() { return Enabled{.by = "anna"}; }
inline Event disable() { return Disabled{.by = "anna"}; }
inline Event erase() { return Deleted{.by = "anna"}; }
inline Event reset() { return Reset{.by = "anna"}; }

inline Event trigger(std::string id, OverlapPolicy overlap = OverlapPolicy::allow_all) {
  return Triggered{.by = "anna", .id = std::move(id), .overlap = overlap};
}

/// A backfill of [from, to), one at a time, oldest first.
inline Backfill backfill_of(std::string_view from, std::string_view to) {
  Backfill backfill;
  backfill.id = "b1";
  backfill.from = moment(from);
  backfill.to = moment(to);
  return backfill;
}
inline Event request(Backfill backfill) { return BackfillRequested{.by = "anna", .backfill = std::move(backfill)}; }
inline Event change(BackfillChanged::Kind kind, std::string id = "b1") {
  return BackfillChanged{.by = "anna", .id = std::move(id), .kind = kind};
}

inline Event cancel(const Tower::Row& row) { return CancelRequested{.run = Seq{row.seq}}; }

}  // namespace carillon::testing
