#pragma once

#include "calendar/lint/lint.hpp"
#include "calendar/spec.hpp"
#include "calendar/timetable.hpp"
#include "cli/command_line/arguments.hpp"
#include "cli/connection/session.hpp"

#include <string>
#include <vector>

namespace carillon::cli {

/// What a question is about: a spec, ready for questions about time.
struct LoadedSpec {
  Spec spec;
  ZonePtr zone;
  Timetable timetable;
  std::string seed;  // for jitter
};

/// The expression or the `--spec` file of a command line; exactly one of them. `--tz` is the zone of an expression, and
/// of a file that names none.
[[nodiscard]] Result<LoadedSpec> load_spec(const Arguments& arguments, Session& session);

/// What lint finds, and whether the zone has an old name.
[[nodiscard]] std::vector<Finding> findings_of(const Spec& spec, const ZonePtr& zone, Session& session);

}  // namespace carillon::cli
