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
  std::string pointer;  // of the spec: ``, `/spec`, `/schedules/3/spec`
  std::string id;       // of the schedule; may be empty
  std::string seed;     // `<namespace>-<id>`, for jitter
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

/// One problem of a spec in a file as an error that shows the place.
[[nodiscard]] Error to_error(const ScheduleFile& file, const Problems& problems);

}  // namespace carillon::cli
