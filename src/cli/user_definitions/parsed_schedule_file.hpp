#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "calendar/spec.hpp"
#include "document/document.hpp"
#include "document/reader.hpp"

#include <boost/json/value.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carillon::cli {

/// A spec inside a file, and what its schedule says about it.
struct SpecPlace {
  std::string pointer;  // of the schedule, or of the spec that stands alone: ``, `/schedules/3`
  bool is_schedule = false;
  std::string id;    // of the schedule; may be empty
  std::string seed;  // `<namespace>-<id>`, for jitter
  std::optional<Instant> created_at;
};

/// A file that holds a spec, a schedule document, or `schedules: [ … ]`.
struct ScheduleFile {
  std::string name;
  Document document;
  std::vector<SpecPlace> specs;

  [[nodiscard]] const boost::json::value& value(std::string_view pointer) const;
  /// `nightly.yaml:4:9`, or the name alone when the position is not known.
  [[nodiscard]] std::string place(std::string_view pointer) const;
};

/// Reads a YAML or JSON text; the name tells which. What is wrong inside a spec shows only when it is read.
[[nodiscard]] Result<ScheduleFile> parse_schedule_file(std::string name, std::string_view text);

/// Reads the spec at a place. A schedule is read whole, as `apply` reads it, in canonical or short form; only its id
/// and its action may be left out.
[[nodiscard]] Checked<Spec> read_spec_at(const ScheduleFile& file, const SpecPlace& place,
                                         std::string_view default_timezone);

/// Where in the file a part of the spec is written: `/cron/0` may be `/schedules/3/spec/cron/0` or `/schedules/3/cron`.
[[nodiscard]] std::string pointer_in_file(const ScheduleFile& file, const SpecPlace& place,
                                          std::string_view pointer_in_spec);

/// One problem of a spec in a file as an error that shows the place.
[[nodiscard]] Error to_error(const ScheduleFile& file, const Problems& problems);

}  // namespace carillon::cli
