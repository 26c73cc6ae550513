#pragma once

#include <cstdint>
#include <filesystem>

namespace carillon::testing {

/// What this process holds at a moment.
struct Vitals {
  std::int64_t resident = 0;   // bytes of memory
  std::int64_t anonymous = 0;  // of these, without mapped files
  std::int64_t allocated = 0;  // bytes that were asked for and not given back
  std::int64_t sqlite = 0;     // of these, SQLite's, whose cache is bounded
  std::int64_t files = 0;      // open descriptors
  std::int64_t threads = 0;
};

[[nodiscard]] Vitals read_vitals();

/// 0 if there is no such file.
[[nodiscard]] std::int64_t size_of(const std::filesystem::path& file);

}  // namespace carillon::testing
