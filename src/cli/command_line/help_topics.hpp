#pragma once

#include <span>
#include <string_view>

namespace carillon::cli {

/// A page of `carillon help` that is about no single command. Ends with three examples.
struct Topic {
  std::string_view name;
  std::string_view summary;
  std::string_view text;
};

/// In the order of the overview.
[[nodiscard]] std::span<const Topic> topics();

}  // namespace carillon::cli
