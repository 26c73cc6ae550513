#pragma once

#include "base/error.hpp"
#include "files/file_descriptor.hpp"
#include "pipeline/csv.hpp"
#include "pipeline/run_plan.hpp"

#include <cstddef>
#include <memory>
#include <string>

namespace carillon::pipeline {

/// A CSV file that was read through once: it is well-formed, and it is known how many rows it has.
struct CsvInput {
  std::shared_ptr<const FileDescriptor> file;  // shared by all who read it
  std::string name;
  std::string delimiter;
  std::string digest;
  std::size_t row_count = 0;
};

/// Reads a whole file, so that a fault in its last row is found before anything is paid for.
[[nodiscard]] Result<CsvInput> survey_csv(FileDescriptor file, std::string name, std::string delimiter);

/// Gives its rows from the first on, one by one; may be called again. An error behind the last row if the file is no
/// longer what it was.
[[nodiscard]] OpenInput rows_of(const CsvInput& input);

}  // namespace carillon::pipeline
