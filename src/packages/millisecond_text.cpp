#include "packages/millisecond_text.hpp"

#include <fmt/format.h>

namespace carillon::packages {

std::string text_with_milliseconds(Instant time) {
  const auto second = std::chrono::floor<std::chrono::seconds>(time);
  const auto fraction = std::chrono::floor<std::chrono::milliseconds>(time - second);
  std::string text = to_text(Instant{second});
  text.pop_back();
  return fmt::format("{}.{:03}Z", text, fraction.count());
}

}  // namespace carillon::packages
