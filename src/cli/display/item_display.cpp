#include "cli/display/item_display.hpp"

#include "cli/terminal/formatting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace carillon::cli {

namespace {

constexpr std::int64_t item_bar_width = 20;

/// 25,310
std::string grouped(std::int64_t number) {
  std::string text = fmt::format("{}", number);
  for (auto place = static_cast<std::ptrdiff_t>(text.size()) - 3; place > 0; place -= 3)
    text.insert(static_cast<std::size_t>(place), ",");
  return text;
}

std::string item_bar(std::int64_t done, std::int64_t total, const Paint& paint) {
  const std::int64_t full =
      total <= 0 ? item_bar_width : std::clamp<std::int64_t>(done * item_bar_width / total, 0, item_bar_width);
  std::string text;
  for (std::int64_t i = 0; i < item_bar_width; ++i)
    text += paint.has_utf8() ? (i < full ? "█" : "░") : (i < full ? "#" : ".");
  return text;
}

}  // namespace

std::string items_text(const client::Run& run) {
  if (!run.items_processed) return {};
  const std::int64_t good = *run.items_processed - run.items_failed.value_or(0);
  const std::int64_t total = std::max(run.items_total.value_or(0), *run.items_processed);
  return good == total ? grouped(total) : fmt::format("{}/{}", grouped(good), grouped(total));
}

std::string cost_text(const boost::json::value& cost) {
  if (!cost.is_number()) return {};
  const auto amount = cost.to_number<double>();
  return amount >= 1 || amount == 0 ? fmt::format("{:.2f}", amount) : fmt::format("{:.4f}", amount);
}

std::string item_progress_text(const client::Run& run, const Paint& paint, Bar bar) {
  if (!run.items_processed) return {};
  const std::int64_t done = *run.items_processed;
  std::string text;
  if (run.items_total) {
    if (bar == Bar::shown) text += item_bar(done, *run.items_total, paint) + "  ";
    if (*run.items_total > 0) text += fmt::format("{}%  ", std::min<std::int64_t>(100, 100 * done / *run.items_total));
    text += fmt::format("{}/{} items", grouped(done), grouped(*run.items_total));
  } else {
    text += fmt::format("{} items", grouped(done));
  }
  if (run.items_failed.value_or(0) > 0) text += fmt::format("  {} failed", grouped(*run.items_failed));
  if (run.progress && run.progress->remaining_ms && done > 0)
    text += fmt::format("  eta {}", length_text(run.progress->remaining_ms));
  if (run.usage && !cost_text(run.usage->cost).empty()) text += fmt::format("  cost {}", cost_text(run.usage->cost));
  return text;
}

}  // namespace carillon::cli
