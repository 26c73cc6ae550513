#pragma once

#include "document/document.hpp"
#include "document/reader.hpp"
#include "pipeline/pipeline.hpp"

#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace carillon::pipeline {

/// Reads a pipeline.yaml. All faults are reported at once, in the order in which the original executor checked: name,
/// job or input, map, reduce, then what the first item lacks, filter, and what only we check: numbers and texts of the
/// wrong type, schedule, budget. Unknown keys come last, with the nearest known one as hint. So the first fault's
/// message is the one by which users of the original executor know it. `default_timezone` is that of a schedule that
/// names none; whether a zone exists is for a ZoneSource to say.
[[nodiscard]] Checked<Pipeline> read_pipeline(const Document& document, std::string_view default_timezone);

/// A fault in a file, as `carillon pipeline validate` prints it.
struct FileFault {
  std::string file;
  Position position;
  std::string code;
  std::string message;
  std::string hint;
};
/// Parses and reads a text; the faults have their places in it.
[[nodiscard]] std::expected<Pipeline, std::vector<FileFault>> read_pipeline_text(std::string_view file,
                                                                                 std::string_view text,
                                                                                 std::string_view default_timezone);

}  // namespace carillon::pipeline
