#pragma once

#include "document/document.hpp"
#include "document/reader.hpp"
#include "pipeline/pipeline.hpp"

#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace carillon::pipeline {

/// Reads a pipeline.yaml. All faults are reported at once, in the order of the document's checks: name, input, filter,
/// map, reduce or job, then schedule and the rest. Unknown keys are faults, with the nearest known one as hint. The
/// first fault's message is the one by which users of the original executor know it. `default_timezone` is that of a
/// schedule that names none.
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
