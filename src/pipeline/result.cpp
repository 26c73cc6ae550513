#include "pipeline/result.hpp"

#include <fmt/format.h>

namespace carillon::pipeline {
namespace {

bool is_tolerated(const Counts& counts, const Tolerance& tolerate) {
  if (!tolerate.percent) return static_cast<std::int64_t>(counts.failed()) <= tolerate.count;
  return 100.0 * static_cast<double>(counts.failed()) <= *tolerate.percent * static_cast<double>(counts.total);
}

}  // namespace

std::optional<std::string> error_of(const Counts& counts, const Tolerance& tolerate,
                                    const std::vector<std::string>& different_errors) {
  if (counts.failed() == 0 || is_tolerated(counts, tolerate)) return std::nullopt;
  const std::string who = counts.failed() == 1 ? "1 item failed" : fmt::format("{} items failed", counts.failed());
  if (different_errors.size() == 1) return fmt::format("{}: {}", who, different_errors.front());
  const bool is_cut = different_errors.size() >= different_errors_max;
  return fmt::format("{} with {}{} different errors", who, different_errors.size(), is_cut ? " or more" : "");
}

}  // namespace carillon::pipeline
