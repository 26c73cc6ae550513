#include "cli/pipelines/run_progress.hpp"

#include "base/duration_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace carillon::cli {

namespace {

constexpr std::size_t run_bar_width = 20;
constexpr Duration line_interval = std::chrono::seconds{10};

std::string run_bar(std::size_t done, std::size_t total, const Paint& paint) {
  const std::size_t full = total == 0 ? run_bar_width : std::min(done * run_bar_width / total, run_bar_width);
  std::string text;
  for (std::size_t i = 0; i < run_bar_width; ++i)
    text += paint.has_utf8() ? (i < full ? "█" : "░") : (i < full ? "#" : ".");
  return text + "  ";
}

}  // namespace

std::string progress_text(const pipeline::RunProgress& progress, std::optional<Duration> left, const Paint& paint,
                          bool has_bar) {
  std::string text;
  if (has_bar && progress.total) text += run_bar(progress.items.total, *progress.total, paint);
  if (progress.phase != pipeline::Phase::map) text += fmt::format("{}: ", to_text(progress.phase));
  text += progress.total ? fmt::format("{}/{} items", progress.items.total, *progress.total)
                         : fmt::format("{} items", progress.items.total);
  if (progress.items.failed() > 0) text += fmt::format(" · {} failed", progress.items.failed());
  if (left) text += fmt::format(" · about {} left", to_text(*left));
  const auto& spent = progress.spent;
  if (const auto tokens = spent.input_tokens + spent.output_tokens; tokens > 0)
    text += fmt::format(" · {} tokens", tokens);
  if (spent.cost > 0) text += fmt::format(" · cost {:.4f}", spent.cost);
  return text;
}

std::optional<Duration> RunProgressDisplay::time_left(const pipeline::RunProgress& progress, Duration now) const {
  if (!progress.total || !first_ || progress.items.total <= first_->items || progress.items.total >= *progress.total)
    return std::nullopt;
  const auto each = (now - first_->at) / static_cast<std::int64_t>(progress.items.total - first_->items);
  return std::chrono::ceil<std::chrono::seconds>(each *
                                                 static_cast<std::int64_t>(*progress.total - progress.items.total));
}

void RunProgressDisplay::show(const pipeline::RunProgress& progress, Duration now) {
  const std::lock_guard lock{mutex_};
  if (!first_) first_ = Mark{.at = now, .items = progress.items.total};
  if (!has_bar_) {
    // The first one tells nothing yet.
    if (!line_at_) line_at_ = now;
    if (now - *line_at_ < line_interval) return;
    line_at_ = now;
    console_.write_error(paint_.signs(progress_text(progress, time_left(progress, now), paint_, false)) + '\n');
    return;
  }
  std::string text = progress_text(progress, time_left(progress, now), paint_, true);
  // Only what changed is drawn; the rest of an older, longer line is cleared.
  if (text != shown_) console_.write_error("\r" + paint_.signs(text) + "\x1b[K");
  shown_ = std::move(text);
}

void RunProgressDisplay::leave_bar() {
  if (has_bar_ && !shown_.empty()) console_.write_error("\n");
  shown_.clear();
}

void RunProgressDisplay::say(std::string_view text) {
  const std::lock_guard lock{mutex_};
  leave_bar();
  console_.write_error(paint_.signs(text) + '\n');
}

void RunProgressDisplay::end() {
  const std::lock_guard lock{mutex_};
  leave_bar();
}

}  // namespace carillon::cli
